import { afterEach, expect, test } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { listTables, type Migration, migrate } from '../../src/platform/storage/migrate.ts'
import { openPostgres } from '../../src/platform/storage/postgres/postgres.ts'
import { migrations } from '../../src/platform/storage/schema.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { freshPostgresUrl } from '../store/postgres-server.ts'
import { acknowledged, createToken, listFlows, whoami } from './clients.fixture.ts'
import { type HubProcess, hubTokenOf, runProgram, spawnHub, temporaryHome } from './hub-process.fixture.ts'
import { readStored } from './stored-state.fixture.ts'

const NEWEST = migrations.at(-1)?.version ?? 0

const hubs: HubProcess[] = []
afterEach(async () => void (await Promise.all(hubs.splice(0).map((hub) => hub.end('SIGKILL')))))

async function sharedDatabase() {
  const url = await freshPostgresUrl()
  return { url, env: { KNOWTATION_DATABASE_URL: url, KNOWTATION_AUDIT_KEY: 'ab'.repeat(32) } }
}

/** What the next version of the program would do to the database when it starts beside hubs of this one. */
async function upgrade(url: string, open_to: number): Promise<void> {
  const db = await openPostgres(url)
  try {
    const tables = (await db.all(listTables.postgres)).map(({ name }) => name)
    const next: Migration = {
      version: NEWEST + 1,
      open_to,
      statements: [
        'CREATE TABLE things_of_tomorrow (thing_id TEXT PRIMARY KEY, name TEXT)',
        ...tables
          .filter((name) => name !== 'schema_version')
          .map((name) => `ALTER TABLE ${name} ADD COLUMN of_tomorrow TEXT`),
      ],
    }
    await migrate(db, [...migrations, next], new Date())
    const versions = await db.get(
      sql<{ newest: number }>('SELECT MAX(version) AS newest FROM schema_version'),
    )
    expect(versions?.newest).toBe(NEWEST + 1)
  } finally {
    await db.close()
  }
}

async function open(home: Parameters<typeof hubTokenOf>[0], env: Record<string, string>) {
  const hub = await spawnHub({ home: home.folder, env })
  hubs.push(hub)
  return { url: hub.url, bearer: hubTokenOf(home), hub }
}

async function expectWorks(at: { url: string; bearer: string }, other = at): Promise<void> {
  const token = acknowledged(await createToken(at.url, at.bearer))
  expect((await whoami(other.url, token.bearer)).status).toBe(200)
  expect((await listFlows(at.url, at.bearer)).status).toBe(200)
  const entry = {
    tenant_id: 'shop',
    ledger_id: `led-${token.token_id}`,
    source: 'crm',
    type: 'signal',
    payload: {},
  }
  const appended = await send(at.url, {
    method: 'POST',
    path: '/api/v1/ledger/entries',
    bearer: at.bearer,
    body: JSON.stringify(entry),
  })
  expect([appended.status, appended.text]).toEqual([201, appended.text])
  const path = `/api/v1/tokens/${token.token_id}`
  expect((await send(at.url, { method: 'DELETE', path, bearer: at.bearer })).status).toBe(200)
  expect((await whoami(other.url, token.bearer)).status).toBe(401)
}

test('a hub goes on while a neighbour of the next version brings the database forward, and may start again', async () => {
  using one = temporaryHome()
  using two = temporaryHome()
  const { url, env } = await sharedDatabase()
  const running = await open(one.home, env)
  await expectWorks(running)
  await upgrade(url, NEWEST)
  await expectWorks(running)
  const { stdout } = await runProgram(['doctor', '--json', '--home', one.home.folder], env)
  const { findings } = JSON.parse(stdout) as { findings: { subject: string; detail: string }[] }
  expect(findings.find(({ subject }) => subject === 'schema')?.detail).toContain(
    `step ${NEWEST + 1}, of a newer`,
  )
  const started = await open(two.home, env)
  await expectWorks(started, running)
  await expectWorks(running, started)
  expect((await running.hub.end('SIGTERM')).code).toBe(0)
  await expectWorks(await open(one.home, env), started)
  for (const hub of hubs.splice(0)) await hub.end('SIGTERM')
  const { chain } = await readStored(one.home, env)
  expect(chain).toMatchObject({ intact: true, fault: null })
}, 90_000)

test('a database that is not open to this program is refused by name and left alone', async () => {
  using at = temporaryHome()
  const { url, env } = await sharedDatabase()
  const hub = await open(at.home, env)
  expect((await hub.hub.end('SIGTERM')).code).toBe(0)
  await upgrade(url, NEWEST + 1)
  for (const command of [['serve', '--port', '0'], ['doctor']]) {
    const { code, stderr } = await runProgram([...command, '--home', at.home.folder], env)
    expect([code, stderr]).toEqual([1, expect.stringContaining('STORAGE_TOO_NEW')])
  }
}, 60_000)
