import { afterEach, describe, expect, test } from 'vitest'
import { send } from '../rest/rest-hub.fixture.ts'
import { freshPostgresUrl } from '../store/postgres-server.ts'
import { type Acknowledged, acknowledged, createToken, listFlows, whoami } from './clients.fixture.ts'
import { type HubProcess, hubTokenOf, runProgram, spawnHub, temporaryHome } from './hub-process.fixture.ts'
import { readStored } from './stored-state.fixture.ts'

const WRITERS = 4
const CALLS_EACH = 25
const COMMANDS = 4

const hubs: HubProcess[] = []
afterEach(async () => void (await Promise.all(hubs.splice(0).map((hub) => hub.end('SIGKILL')))))

interface Door {
  url: string
  bearer: string
}

async function open(home: Parameters<typeof hubTokenOf>[0], env: Record<string, string> = {}): Promise<Door> {
  const hub = await spawnHub({ home: home.folder, env })
  hubs.push(hub)
  return { url: hub.url, bearer: hubTokenOf(home) }
}

/** Several clients at one door, each writing and reading by turns. */
async function work({ url, bearer }: Door): Promise<Acknowledged[]> {
  const made: Acknowledged[] = []
  const one = async () => {
    for (let at = 0; at < CALLS_EACH; at++) {
      const answer = await createToken(url, bearer)
      expect(answer.status).toBe(201)
      made.push(acknowledged(answer))
      expect((await listFlows(url, bearer)).status).toBe(200)
    }
  }
  await Promise.all(Array.from({ length: WRITERS }, one))
  return made
}

const create = (folder: string, env = {}) =>
  runProgram(['token', 'create', '--role', 'viewer', '--home', folder, '--json'], env)

/** A token revoked through one door is refused at the other, from the very next call on. */
async function expectRevokedEverywhere(revokeAt: Door, useAt: Door): Promise<void> {
  const token = acknowledged(await createToken(useAt.url, useAt.bearer))
  expect((await whoami(useAt.url, token.bearer)).status).toBe(200)
  expect((await whoami(revokeAt.url, token.bearer)).status).toBe(200)
  const path = `/api/v1/tokens/${token.token_id}`
  const revoked = await send(revokeAt.url, { method: 'DELETE', path, bearer: revokeAt.bearer })
  expect(revoked.status).toBe(200)
  expect((await whoami(useAt.url, token.bearer)).status).toBe(401)
  expect((await whoami(revokeAt.url, token.bearer)).status).toBe(401)
}

async function endAll(): Promise<void> {
  for (const hub of hubs.splice(0)) expect((await hub.end('SIGTERM')).code).toBe(0)
}

describe('several programs at one store', () => {
  test('two hubs and the command line on one home keep one whole log', async () => {
    using at = temporaryHome()
    const [first, second] = await Promise.all([open(at.home), open(at.home)])
    const commands = Array.from({ length: COMMANDS }, () => create(at.home.folder))
    const made = (await Promise.all([work(first), work(second)])).flat()
    for (const { code, stdout, stderr } of await Promise.all(commands)) {
      expect([code, stderr]).toEqual([0, ''])
      made.push(acknowledged({ status: 201, headers: {}, text: stdout }))
    }
    await expectRevokedEverywhere(first, second)
    await expectRevokedEverywhere(second, first)
    const last = made.at(-1) as Acknowledged
    const revoked = await runProgram(['token', 'revoke', last.token_id, '--home', at.home.folder, '--json'])
    expect(revoked.code).toBe(0)
    expect((await whoami(first.url, last.bearer)).status).toBe(401)
    await endAll()
    const { chain, tokens, calls } = await readStored(at.home)
    expect(chain).toMatchObject({ intact: true, fault: null })
    expect(made.filter(({ token_id }) => !tokens.has(token_id))).toEqual([])
    expect([tokens.size, calls.token_create]).toEqual([made.length + 2, made.length + 2])
    expect(calls.flow_list).toBe(2 * WRITERS * CALLS_EACH)
    expect(calls.starter_flows_seeded).toBe(1)
  }, 60_000)

  test('two hubs with homes of their own share one PostgreSQL', async () => {
    using one = temporaryHome()
    using two = temporaryHome()
    const env = { KNOWTATION_DATABASE_URL: await freshPostgresUrl(), KNOWTATION_AUDIT_KEY: 'ab'.repeat(32) }
    const [first, second] = await Promise.all([open(one.home, env), open(two.home, env)])
    const command = create(one.home.folder, env)
    const made = (await Promise.all([work(first), work(second)])).flat()
    expect((await command).code).toBe(0)
    await expectRevokedEverywhere(first, second)
    await expectRevokedEverywhere(second, first)
    await endAll()
    const { chain, tokens, calls } = await readStored(one.home, env)
    expect(chain).toMatchObject({ intact: true, fault: null })
    expect(made.filter(({ token_id }) => !tokens.has(token_id))).toEqual([])
    expect([tokens.size, calls.token_create]).toEqual([made.length + 3, made.length + 3])
    expect(calls.flow_list).toBe(2 * WRITERS * CALLS_EACH)
    expect(calls.starter_flows_seeded).toBe(1)
  }, 60_000)

  test('a home that brings another audit key is refused and told what to do', async () => {
    using one = temporaryHome()
    using two = temporaryHome()
    const env = { KNOWTATION_DATABASE_URL: await freshPostgresUrl() }
    await open(one.home, env)
    const exit = await runProgram(['serve', '--log', 'json', '--port', '0', '--home', two.home.folder], env)
    expect(exit.code).toBe(1)
    expect(exit.stderr).toContain('sealed with another key')
  }, 60_000)
})
