import { afterEach, expect, test } from 'vitest'
import { fakeTime } from '../fault/fault-home.fixture.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { freshPostgresUrl } from '../store/postgres-server.ts'
import { whoami } from './clients.fixture.ts'
import { type HubProcess, hubTokenOf, runProgram, spawnHub, temporaryHome } from './hub-process.fixture.ts'

const HOUR_MS = 3_600_000
const TTL_SECONDS = 600

const hubs: HubProcess[] = []
afterEach(async () => void (await Promise.all(hubs.splice(0).map((hub) => hub.end('SIGKILL')))))

interface Made {
  bearer: string
  token: { created_at: string; expires_at: string }
}

async function makeToken({ url }: HubProcess, bearer: string): Promise<Made> {
  const body = JSON.stringify({ role: 'viewer', ttl_seconds: TTL_SECONDS })
  const { status, text } = await send(url, { method: 'POST', path: '/api/v1/tokens', bearer, body })
  expect([status, text]).toEqual([201, text])
  return JSON.parse(text) as Made
}

test('hubs whose clocks are an hour apart agree on PostgreSQL when a token ends', async () => {
  using one = temporaryHome()
  using two = temporaryHome()
  const env = { KNOWTATION_DATABASE_URL: await freshPostgresUrl(), KNOWTATION_AUDIT_KEY: 'ab'.repeat(32) }
  const right = await spawnHub({ home: one.home.folder, env })
  hubs.push(right)
  for (const offset of ['+1h', '-1h']) {
    const apart = { ...env, ...fakeTime(offset) }
    const wrong = await spawnHub({ home: two.home.folder, env: apart })
    hubs.push(wrong)
    const made = [await makeToken(right, hubTokenOf(one.home)), await makeToken(wrong, hubTokenOf(two.home))]
    for (const { bearer, token } of made) {
      expect(Math.abs(Date.parse(token.created_at) - Date.now())).toBeLessThan(HOUR_MS / 2)
      expect(Math.abs(Date.parse(token.expires_at) - Date.now())).toBeLessThan(HOUR_MS / 2)
      expect((await whoami(right.url, bearer)).status).toBe(200)
      expect((await whoami(wrong.url, bearer)).status).toBe(200)
    }
    const { stdout } = await runProgram(['doctor', '--json', '--home', two.home.folder], apart)
    const { findings } = JSON.parse(stdout) as { findings: { subject: string; detail: string }[] }
    expect(findings.find(({ subject }) => subject === 'clock')?.detail).toMatch(
      offset === '+1h'
        ? /^this machine's is 3\d{3}\.\d s ahead of/
        : /^this machine's is 3\d{3}\.\d s behind/,
    )
    await wrong.end('SIGTERM')
  }
}, 90_000)
