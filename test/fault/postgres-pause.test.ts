import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { acknowledged, createToken } from '../e2e/clients.fixture.ts'
import { hubTokenOf, spawnHub, temporaryHome } from '../e2e/hub-process.fixture.ts'
import { readStored } from '../e2e/stored-state.fixture.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { startPostgres } from '../store/postgres-server.ts'
import { IS_LONG, printTable, told } from './fault-home.fixture.ts'

printTable()
const PAUSES = IS_LONG ? 8 : 1
const CALLERS = 12
/** No statement is waited for longer than that. */
const ANSWER_LIMIT_MS = 4_000

/** The processes of a server, the first one last: it would start others in the place of those that stand still. */
async function processesOf(url: string): Promise<number[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const { rows: others } = await client.query(
    'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()',
  )
  const { rows } = await client.query(
    `SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid`,
  )
  await client.end()
  return [...others, ...rows].map(({ pid }) => Number(pid))
}

function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids)
    try {
      process.kill(pid, signal)
    } catch {
      // A connection that was closed meanwhile has no process any more.
    }
}

test(
  'a PostgreSQL that stands still is told, loses nothing, and is used again when it goes on',
  async () => {
    const server = await startPostgres()
    onTestFinished(() => server.stop())
    using at = temporaryHome()
    const url = `${server.url}/postgres`
    const env = {
      KNOWTATION_DATABASE_URL: `${url}?query_timeout=${ANSWER_LIMIT_MS}`,
      KNOWTATION_AUDIT_KEY: 'ab'.repeat(32),
    }
    const hub = await spawnHub({ home: at.home.folder, env })
    const bearer = hubTokenOf(at.home)
    const made: string[] = []
    const write = async () => {
      const answer = await createToken(hub.url, bearer)
      if (answer.status === 201) made.push(acknowledged(answer).token_id)
      return answer.status
    }
    const health = async () => (await send(hub.url, { path: '/healthz' })).status
    for (let round = 0; round < PAUSES; round++) {
      expect(await write()).toBe(201)
      const pids = await processesOf(url)
      const calls = Array.from({ length: CALLERS }, write)
      signalAll(pids, 'SIGSTOP')
      try {
        await expect.poll(health, { timeout: 15_000 }).toBe(503)
        await pause(round * 500)
      } finally {
        signalAll(pids.toReversed(), 'SIGCONT')
      }
      for (const status of await Promise.all(calls)) expect([201, 503]).toContain(status)
      await expect.poll(health, { timeout: 15_000 }).toBe(200)
      expect(await write()).toBe(201)
    }
    expect((await hub.end('SIGTERM')).code).toBe(0)
    const { chain, tokens } = await readStored(at.home, env)
    const lost = made.filter((id) => !tokens.has(id))
    expect([told('PostgreSQL stood still', lost.length === 0 ? 'whole' : 'lost'), chain.intact]).toEqual([
      'whole',
      true,
    ])
  },
  IS_LONG ? 600_000 : 120_000,
)
