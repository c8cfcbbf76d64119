import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { homeAt } from '../../src/platform/basics/home.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { openPostgres } from '../../src/platform/storage/postgres/postgres.ts'
import { migrations } from '../../src/platform/storage/schema.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { freshPostgresUrl } from '../store/postgres-server.ts'
import { createToken, whoami } from './clients.fixture.ts'
import { hubTokenOf, runProgram, spawnHub } from './hub-process.fixture.ts'

/**
 * Homes that programs of each schema have made and used: on SQLite as they lay there, on PostgreSQL as a backup.
 * Beside each is `tokens.json` with the bearer of a token that counts and of one that was revoked.
 */
const HOMES = join(import.meta.dirname, '../store/homes')
const kept = readdirSync(HOMES).map((file) => {
  const [, schema = '', database = ''] = /^schema-(\d+)-(sqlite|postgres)\.tar\.gz$/.exec(file) ?? []
  return { file, schema: Number(schema), database }
})

interface Opened {
  readonly home: string
  readonly env: Record<string, string>
  readonly tokens: { readonly kept: string; readonly revoked: string }
}

async function unpack(file: string, database: string): Promise<Opened> {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-kept-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  expect(spawnSync('tar', ['-xzf', join(HOMES, file), '-C', folder]).status).toBe(0)
  const tokens = JSON.parse(readFileSync(join(folder, 'tokens.json'), 'utf8')) as Opened['tokens']
  const home = join(folder, 'home')
  if (database === 'sqlite') return { home, env: {}, tokens }
  const env = { KNOWTATION_DATABASE_URL: await freshPostgresUrl() }
  const restore = ['backup', 'restore', join(folder, 'backup'), '--yes', '--home', home]
  expect(await runProgram(restore, env)).toMatchObject({ code: 0 })
  return { home, env, tokens }
}

async function told(args: string[], { home, env }: Opened): Promise<unknown> {
  const { code, stdout, stderr } = await runProgram([...args, '--json', '--home', home], env)
  expect([args, code, stderr]).toEqual([args, 0, stderr])
  return JSON.parse(stdout)
}

test('a home of every schema that was ever frozen is kept, for both databases', () => {
  const names = kept.map(({ schema, database }) => `${schema} ${database}`).toSorted()
  expect(names).toEqual(['1 postgres', '1 sqlite', '5 postgres', '5 sqlite'])
})

test.each(kept)(
  'the newest program opens the home of $file, and what was there counts as it did',
  async ({ file, database }) => {
    const opened = await unpack(file, database)
    expect(await told(['audit', 'verify'], opened)).toMatchObject({ intact: true, fault: null })
    expect(await told(['ledger', 'verify'], opened)).toMatchObject({
      intact: true,
      tenants: [{ tenant_id: 'shop', entries: 2 }],
    })
    expect(await told(['lock', 'list'], opened)).toMatchObject({
      locks: [{ kind: 'agent', id: 'agent-1', reason: 'kept lock' }],
    })
    const hub = await spawnHub({ home: opened.home, env: opened.env })
    const bearer = hubTokenOf(homeAt(opened.home, {}))
    expect((await whoami(hub.url, opened.tokens.kept)).status).toBe(200)
    expect((await whoami(hub.url, opened.tokens.revoked)).status).toBe(401)
    expect((await createToken(hub.url, bearer)).status).toBe(201)
    const { text } = await send(hub.url, { path: '/api/v1/tokens', bearer })
    expect((JSON.parse(text) as { tokens: unknown[] }).tokens).toHaveLength(3)
    expect((await hub.end('SIGTERM')).code).toBe(0)
    expect(await told(['doctor'], opened)).toMatchObject({ healthy: true })
    expect(await told(['audit', 'verify'], opened)).toMatchObject({ intact: true, fault: null })
  },
  60_000,
)

test.each(kept.filter(({ database }) => database === 'postgres'))(
  'after $file PostgreSQL has every step of the schema',
  async ({ file, database }) => {
    const opened = await unpack(file, database)
    await told(['audit', 'verify'], opened)
    const db = await openPostgres(opened.env.KNOWTATION_DATABASE_URL ?? '')
    onTestFinished(() => db.close())
    const steps = await db.all(
      sql<{ version: number }>('SELECT version FROM schema_version ORDER BY version'),
    )
    expect(steps).toEqual(migrations.map(({ version }) => ({ version })))
  },
)

interface Checked {
  readonly migration: string
  readonly database: { readonly step: number; readonly newest: number }
  readonly kept: readonly { readonly folder: string; readonly schema_version: number }[]
  readonly ready: boolean
}

test.each(kept)(
  'what $file was is kept before it is brought forward, and can be had again',
  async ({ file, database, schema }) => {
    const opened = await unpack(file, database)
    const before = (await told(['upgrade', 'check'], opened)) as Checked
    // On PostgreSQL the restore has opened it already.
    if (database === 'sqlite')
      expect(before).toMatchObject({
        migration: schema < 5 ? 'shuts_out_older' : 'adds',
        database: { step: schema },
        kept: [],
        ready: true,
      })
    // Two programs that start together keep it each, and only one brings it forward.
    await Promise.all([told(['whoami'], opened), told(['doctor'], opened)])
    const after = (await told(['upgrade', 'check'], opened)) as Checked
    expect(after).toMatchObject({ migration: 'none', database: { step: after.database.newest } })
    expect(after.kept.length).toBeGreaterThan(0)
    for (const one of after.kept) expect(one.schema_version).toBe(schema)
    const env = database === 'sqlite' ? {} : { KNOWTATION_DATABASE_URL: await freshPostgresUrl() }
    const again = { ...opened, home: `${opened.home}-again`, env }
    const restore = ['backup', 'restore', after.kept[0]?.folder ?? '', '--home', again.home]
    expect(await runProgram(restore, env)).toMatchObject({ code: 0 })
    expect(await told(['audit', 'verify'], again)).toMatchObject({ intact: true })
    expect(await told(['ledger', 'verify'], again)).toMatchObject({ intact: true })
  },
  60_000,
)

test('what cannot be kept is not brought forward, unless the owner has said so', async () => {
  const file = 'schema-5-sqlite.tar.gz'
  const opened = await unpack(file, 'sqlite')
  // Where the backups would lie is something else.
  writeFileSync(join(opened.home, 'before-upgrades'), '')
  const refused = await runProgram(['whoami', '--home', opened.home])
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('could not be kept before') })
  expect(await told(['upgrade', 'check'], opened)).toMatchObject({ migration: 'adds', kept: [] })
  writeFileSync(join(opened.home, 'config.yaml'), 'backup_before_upgrade: false\n')
  await told(['whoami'], opened)
  expect(await told(['upgrade', 'check'], opened)).toMatchObject({ migration: 'none', keeps_before: false })
}, 60_000)

test('a check says what is not as this program reads it, and a home that is not there', async () => {
  const file = 'schema-5-sqlite.tar.gz'
  const { home } = await unpack(file, 'sqlite')
  writeFileSync(join(home, 'config.yaml'), 'no_such_setting: 1\n')
  mkdirSync(join(home, 'vaults/default'), { recursive: true, mode: 0o700 })
  writeFileSync(join(home, 'vaults/default/policy.yaml'), 'external_agent: [')
  const { code, stdout } = await runProgram(['upgrade', 'check', '--home', home])
  expect(code).toBe(1)
  for (const text of ['no_such_setting', 'policy of default  counts as closed', 'Not ready.'])
    expect(stdout).toContain(text)
  expect((await runProgram(['upgrade', 'check', '--home', `${home}-none`])).code).toBe(1)
})
