import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import BetterSqlite from 'better-sqlite3'
import { afterEach, expect, test } from 'vitest'
import {
  type HubProcess,
  hubTokenOf,
  processesOfGroup,
  spawnHub,
  temporaryHome,
} from './hub-process.fixture.ts'
import { readStored } from './stored-state.fixture.ts'

const CALLS = 12
/** How long is waited for what comes without a word. */
const PATIENCE = { timeout: 20_000, interval: 20 }
/** Shorter than the time after which a stopping hub cuts off what still runs. */
const EXIT_LIMIT_MS = 8_000

let hub: HubProcess | undefined
afterEach(async () => void (await hub?.end('SIGKILL')))

/** A call on a connection that the client would like to keep. */
function call(agent: Agent, url: string, bearer: string, onSent: () => void): Promise<number> {
  const { hostname, port } = new URL(url)
  const headers = { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const sent = request(
      { agent, hostname, port, method: 'POST', path: '/api/v1/tokens', headers },
      (response) => {
        response.resume().on('end', () => resolve(response.statusCode ?? 0))
      },
    )
    sent.on('error', reject)
    sent.on('finish', onSent)
    sent.end('{"role":"viewer"}')
  })
}

/** Begins some calls, and waits until the hub has them: what came later is answered. */
async function begin(calls: number, agent: Agent, url: string, bearer: string): Promise<Promise<number>[]> {
  const begun: Promise<number>[] = []
  const sent = Array.from(
    { length: calls },
    () => new Promise<void>((onSent) => begun.push(call(agent, url, bearer, onSent))),
  )
  await Promise.all(sent)
  for (let look = 0; look < 3; look++) await askAnew(url, '/openapi.json')
  return begun
}

/** What a hub tells who comes anew: a status, or why the connection is refused. */
function askAnew(url: string, path: string): Promise<number | string | undefined> {
  return ask(new Agent(), url, path).then(
    ({ status }) => status,
    ({ code }: NodeJS.ErrnoException) => code,
  )
}

/** Asks for what needs no store: that one is busy. */
const isShut = (url: string) =>
  expect.poll(() => askAnew(url, '/openapi.json'), PATIENCE).toBe('ECONNREFUSED')

test.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  '%s: running calls are answered, then the hub is gone without a trace',
  async (signal) => {
    using at = temporaryHome()
    hub = await spawnHub({ home: at.home.folder })
    const { url, child } = hub
    const bearer = hubTokenOf(at.home)
    const agent = new Agent({ keepAlive: true, maxSockets: CALLS })
    // As long as someone else writes to the database, the calls cannot end.
    const other = new BetterSqlite(at.home.database)
    other.exec('BEGIN IMMEDIATE')
    const calls = await begin(CALLS, agent, url, bearer)
    const exited = hub.end(signal)
    await isShut(url)
    expect(child.exitCode).toBeNull()
    other.exec('ROLLBACK')
    other.close()

    expect(await Promise.all(calls)).toEqual(Array.from({ length: CALLS }, () => 201))
    const exit = await Promise.race([exited, pause(EXIT_LIMIT_MS)])
    expect(exit).toMatchObject({ code: 0, signal: null })
    agent.destroy()
    expect(processesOfGroup(child.pid ?? 0)).toEqual([])
    const { chain, tokens, calls: recorded } = await readStored(at.home)
    expect(chain.intact).toBe(true)
    expect([tokens.size, recorded.token_create]).toEqual([CALLS, CALLS])
  },
)

/** A request on a connection that is kept, and what it answered. */
function ask(
  agent: Agent,
  url: string,
  path: string,
): Promise<{ status: number; text: string; close: boolean }> {
  return new Promise((resolve, reject) => {
    const sent = request(new URL(path, url), { agent }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part: string) => (text += part))
      const close = response.headers.connection === 'close'
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text, close }))
    })
    sent.on('error', reject)
    sent.end()
  })
}

test('a stopping hub says so at /readyz and answers what comes on kept connections while a call runs', async () => {
  using at = temporaryHome()
  hub = await spawnHub({ home: at.home.folder })
  const { url } = hub
  const kept = Array.from({ length: 3 }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  for (const agent of kept)
    expect(await ask(agent, url, '/readyz')).toEqual({
      status: 200,
      text: '{"status":"ready"}',
      close: false,
    })
  const other = new BetterSqlite(at.home.database)
  other.exec('BEGIN IMMEDIATE')
  const [running] = await begin(1, new Agent(), url, hubTokenOf(at.home))
  const exited = hub.end('SIGTERM')
  await isShut(url)
  for (const [turn, path] of ['/readyz', '/openapi.json', '/readyz'].entries()) {
    const { status, text, close } = await ask(kept[turn] as Agent, url, path)
    expect([status, close]).toEqual([path === '/readyz' ? 503 : 200, true])
    if (path === '/readyz')
      expect(JSON.parse(text)).toEqual({ status: 'stopping', calls_end_within_seconds: 10 })
  }
  other.exec('ROLLBACK')
  other.close()
  expect(await running).toBe(201)
  expect(await Promise.race([exited, pause(EXIT_LIMIT_MS)])).toMatchObject({ code: 0 })
  expect(hub.output.stderr).toContain('"calls_end_within_seconds":10')
  for (const agent of kept) agent.destroy()
})

test('whoever watches is given the time it wants to see that a hub stops', async () => {
  using at = temporaryHome()
  hub = await spawnHub({ home: at.home.folder, env: { KNOWTATION_STOP_NOTICE_SECONDS: '5' } })
  const exited = hub.end('SIGTERM')
  const { url } = hub
  await expect.poll(() => askAnew(url, '/readyz'), PATIENCE).toBe(503)
  expect((await ask(new Agent(), url, '/healthz')).status).toBe(200)
  expect(await Promise.race([exited, pause(EXIT_LIMIT_MS)])).toMatchObject({ code: 0 })
})
