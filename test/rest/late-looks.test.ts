import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { BIN, childEnv } from '../harness/run-program.ts'
import { DATABASES, startTestHub, type TestHub } from '../harness/test-hub.ts'
import { send } from './rest-hub.fixture.ts'

const WHOAMI = '/api/v1/whoami'

/** Another process on the same store; this one stands still meanwhile. */
function command(at: TestHub, ...args: string[]): void {
  execFileSync(process.execPath, [BIN, ...args], { env: childEnv(at.hub.env), stdio: 'pipe' })
}

/**
 * A request that the hub reads right after something changed, although the hub has looked behind its last
 * request and before the change: as it does when a commit is done, which is where this test looks too.
 */
async function askRightAfter(at: TestHub, bearer: string, change: () => void): Promise<string> {
  const { hostname, port } = new URL(at.url)
  const socket = connect(Number(port), hostname).setNoDelay().setEncoding('utf8')
  await once(socket, 'connect')
  // Answered on a connection of its own: by then the hub has taken the other one too.
  expect((await send(at.url, { path: WHOAMI, bearer })).status).toBe(200)
  await nextTurn()
  void at.hub.locks.find('somebody')
  void at.hub.rulesOf('default')
  change()
  socket.write(`GET ${WHOAMI} HTTP/1.1\r\nHost: ${hostname}\r\nAuthorization: Bearer ${bearer}\r\n\r\n`)
  const [answer] = (await once(socket, 'data')) as [string]
  socket.destroy()
  return answer
}

describe.each(DATABASES)(
  'a change of another process counts for a request read after it, on %s',
  (database) => {
    test('a token that was revoked', async () => {
      await using at = await startTestHub({ database })
      const { token_ids, bearers } = at.credentials
      const revoke = () => command(at, 'token', 'revoke', token_ids.viewer)
      expect(await askRightAfter(at, bearers.viewer as string, revoke)).toContain(' 401 ')
    })

    test('an agent that was locked', async () => {
      await using at = await startTestHub({ database })
      const { token_ids, bearers } = at.credentials
      const lock = () => command(at, 'lock', 'agent', token_ids.viewer)
      expect(await askRightAfter(at, bearers.viewer as string, lock)).toContain(' 423 ')
    })

    test('a policy that was written', async () => {
      await using at = await startTestHub({ database })
      const write = () => at.write(at.home.vaultPolicy('default'), 'flow_runs: { writes_enabled: true }\n')
      const answer = await askRightAfter(at, at.credentials.bearers.viewer as string, write)
      expect(answer).toMatch(/"policy_revision":"[0-9a-f]/)
    })
  },
)
