import { spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { parseAuditKey } from '../../src/platform/audit/audit-key.ts'
import { openAuditLog } from '../../src/platform/audit/audit-log.ts'
import { verifyChain } from '../../src/platform/audit/verify-chain.ts'
import { type Home, homeAt } from '../../src/platform/basics/home.ts'
import type { System } from '../../src/platform/basics/system.ts'
import { backupName, createBackup } from '../../src/platform/storage/backup/backup.ts'
import { restoreBackup } from '../../src/platform/storage/backup/restore-backup.ts'
import { type Database, sql } from '../../src/platform/storage/database.ts'
import { openDatabase } from '../../src/platform/storage/open-database.ts'
import { auditRecord } from './audit-records.ts'
import { freshPostgresUrl } from './postgres-server.ts'
import { temporaryFolder } from './temporary-folder.ts'
import { startWriter } from './writer-process.ts'

const NOW = new Date('2026-11-01T10:20:30.000Z')
let ids = 0
const system: System = { now: () => NOW, random: (bytes) => (ids++).toString(16).padStart(bytes * 2, '0') }
const key = parseAuditKey('ab'.repeat(32), 'test')
const put = sql('INSERT INTO hub_meta (key, value) VALUES (?, ?)')
const acts = sql<{ key: string }>("SELECT key FROM hub_meta WHERE value = 'act' ORDER BY key")

const SMALL_FILES = {
  'audit-key': `${'ab'.repeat(32)}\n`,
  'config.yaml': 'audit: { max_age_days: 30 }\n',
  'vaults/default/policy.yaml': 'external_agent: { enabled: false }\n',
  'vaults/shop/members.yaml': 'scope_overrides: {}\n',
}

function newHome(): Home {
  return homeAt(join(temporaryFolder(), 'home'), {})
}

function writeFiles(home: Home, files: Record<string, string>): void {
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home.folder, path)), { recursive: true })
    writeFileSync(join(home.folder, path), content)
  }
}

async function fill(db: Database, prefix: string, number: number): Promise<void> {
  const log = await openAuditLog(db, key)
  await db.transaction(async (tx) => {
    for (let n = 0; n < number; n++) {
      await tx.run(put, `${prefix} ${n}`, 'act')
      await log.appendIn(tx, [auditRecord({ target_id: `${prefix} ${n}`, code: 'ö "quoted" \\ \n ?' })])
    }
  })
}

async function filledHome(env: NodeJS.ProcessEnv = {}): Promise<Home> {
  const home = newHome()
  writeFiles(home, { ...SMALL_FILES, 'hub-token': 'secret\n', 'vaults/shop/notes.txt': 'not ours' })
  const db = await openDatabase(home, env, NOW)
  await fill(db, 'first', 30)
  await db.close()
  return home
}

async function contentOf(
  home: Home,
  env: NodeJS.ProcessEnv,
): Promise<{ keys: string[]; fault: string | null }> {
  const db = await openDatabase(home, env, NOW, { checkIntegrity: true })
  const { fault } = await verifyChain(db, key)
  const keys = (await db.all(acts)).map((row) => row.key)
  await db.close()
  return { keys, fault }
}

const freshEnv = async (kind: string): Promise<NodeJS.ProcessEnv> =>
  kind === 'postgres' ? { KNOWTATION_DATABASE_URL: await freshPostgresUrl() } : {}

for (const kind of ['sqlite', 'postgres']) {
  test(`${kind}: what was backed up comes back in another home, and nothing else was in it`, async () => {
    const env = await freshEnv(kind)
    const home = await filledHome(env)
    const target = join(temporaryFolder(), 'deep', backupName(NOW))
    const { folder, manifest } = await createBackup(home, env, target, system)
    expect(folder).toBe(target)
    expect(target).toMatch(/knowtation-backup-20261101T102030Z$/)
    expect(manifest).toMatchObject({
      kind,
      created_at: NOW.toISOString(),
      schema_version: expect.any(Number),
    })
    const files = readdirSync(folder, { recursive: true }) as string[]
    for (const file of files) expect(lstatSync(join(folder, file)).mode & 0o077).toBe(0)
    expect(files.filter((file) => /hub-token|notes/.test(file))).toEqual([])
    expect(readdirSync(dirname(folder))).toEqual([backupName(NOW)])

    const other = newHome()
    const otherEnv = await freshEnv(kind)
    expect((await restoreBackup(other, otherEnv, folder, system)).moved_aside).toBeNull()
    for (const [path, content] of Object.entries(SMALL_FILES)) {
      expect(readFileSync(join(other.folder, path), 'utf8')).toBe(content)
      expect(statSync(join(other.folder, path)).mode & 0o077).toBe(0)
    }
    expect(existsSync(other.hubToken)).toBe(false)
    // What the hub is to put on record of it.
    expect(readdirSync(other.folder).filter((name) => name.includes('restor'))).toEqual(['restored.json'])
    expect(await contentOf(other, otherEnv)).toEqual(await contentOf(home, env))
    expect((await contentOf(other, otherEnv)).keys).toHaveLength(30)
    // The restored chain goes on.
    const db = await openDatabase(other, otherEnv, NOW)
    onTestFinished(() => db.close())
    await fill(db, 'second', 5)
    expect(await verifyChain(db, key)).toMatchObject({ intact: true, records: 35 })
  })

  test(`${kind}: a backup under load has everything that was acknowledged before it began`, async () => {
    const env = await freshEnv(kind)
    const home = await filledHome(env)
    const writer = startWriter(home.folder, 'load', 1_000_000, { ...process.env, ...env })
    while (writer.acknowledged().length < 100 && writer.child.exitCode === null)
      await new Promise((resolve) => setTimeout(resolve, 5))
    const folders: { folder: string; before: string[] }[] = []
    for (let round = 0; round < 3; round++) {
      const before = writer.acknowledged()
      const { folder } = await createBackup(home, env, join(temporaryFolder(), 'backup'), system)
      folders.push({ folder, before })
    }
    expect(writer.child.exitCode).toBeNull()
    writer.child.kill('SIGTERM')
    expect((await writer.ended).errors).toBe('')
    for (const { folder, before } of folders) {
      const other = newHome()
      const otherEnv = await freshEnv(kind)
      await restoreBackup(other, otherEnv, folder, system)
      const { keys, fault } = await contentOf(other, otherEnv)
      expect(fault).toBeNull()
      const kept = new Set(keys)
      expect(before.filter((id) => !kept.has(id))).toEqual([])
    }
  }, 60_000)

  test(`${kind}: any file of a backup changed, cut or missing is noticed before anything is touched`, async () => {
    const env = await freshEnv(kind)
    const home = await filledHome(env)
    const { folder, manifest } = await createBackup(home, env, join(temporaryFolder(), 'b'), system)
    const other = newHome()
    const otherEnv = await freshEnv(kind)
    for (const { path } of manifest.files) {
      const whole = readFileSync(join(folder, path))
      const changed = [Buffer.concat([whole, Buffer.from('x')]), whole.subarray(0, -1)]
      for (const bytes of changed.filter(({ length }) => length !== whole.length)) {
        writeFileSync(join(folder, path), bytes)
        await expect(restoreBackup(other, otherEnv, folder, system)).rejects.toMatchObject({
          name: 'BackupDamaged',
        })
      }
      rmSync(join(folder, path))
      await expect(restoreBackup(other, otherEnv, folder, system)).rejects.toThrow('is missing')
      writeFileSync(join(folder, path), whole)
    }
    const named = JSON.stringify({ ...manifest, files: [{ ...manifest.files[0], path: 'home/../../x' }] })
    writeFileSync(join(folder, 'manifest.json'), named)
    await expect(restoreBackup(other, otherEnv, folder, system)).rejects.toMatchObject({
      name: 'BackupDamaged',
    })
    expect(existsSync(other.folder)).toBe(false)
  })
}

test('a backup never overwrites, and a failed one leaves nothing', async () => {
  const home = await filledHome()
  const folder = join(temporaryFolder(), 'b')
  await createBackup(home, {}, folder, system)
  const before = readFileSync(join(folder, 'manifest.json'), 'utf8')
  await expect(createBackup(home, {}, folder, system)).rejects.toThrow('exists already')
  expect(readFileSync(join(folder, 'manifest.json'), 'utf8')).toBe(before)
  const empty = newHome()
  const parent = temporaryFolder()
  await expect(createBackup(empty, {}, join(parent, 'x'), system)).rejects.toThrow('nothing to back up')
  writeFiles(empty, { 'knowtation.db': 'no database' })
  await expect(createBackup(empty, {}, join(parent, 'x'), system)).rejects.toMatchObject({
    name: 'StorageDamaged',
  })
  expect(readdirSync(parent)).toEqual([])
})

test('a backup takes away what killed ones have left beside it, and nothing of one that is being made', async () => {
  const home = await filledHome()
  const parent = temporaryFolder()
  const dead = spawnSync(process.execPath, ['--version']).pid
  const left = (name: string) => join(parent, name)
  const killed = [`old.partial-${dead}-00c0ffee`, `other.partial-${dead}-deadbeef`].map(left)
  const kept = [
    `running.partial-${process.ppid}-00c0ffee`,
    `mine.partial-${dead}`,
    `mine.partial-${dead}-00c0ffee.txt`,
    'mine',
  ]
  for (const folder of [...killed, ...kept.map(left)]) {
    mkdirSync(folder)
    writeFileSync(join(folder, 'audit-key'), 'a key')
  }
  writeFileSync(left(`file.partial-${dead}-00c0ffee`), 'not a folder')
  const { cleared } = await createBackup(home, {}, join(parent, 'new'), system)
  expect(cleared.toSorted()).toEqual(killed)
  expect(readdirSync(parent).toSorted()).toEqual([...kept, `file.partial-${dead}-00c0ffee`, 'new'].toSorted())
})

test('a home in use is never replaced; a filled one only by force, and then kept aside whole', async () => {
  const home = await filledHome()
  const { folder } = await createBackup(home, {}, join(temporaryFolder(), 'b'), system)
  const db = await openDatabase(home, {}, NOW)
  await fill(db, 'later', 3)
  await expect(restoreBackup(home, {}, folder, system, { force: true })).rejects.toThrow('is in use')
  await db.close()
  await expect(restoreBackup(home, {}, folder, system)).rejects.toThrow('--force')
  writeFiles(home, { 'config.yaml': 'audit: { max_age_days: 7 }\n', 'vaults/new/policy.yaml': '{}\n' })
  const { moved_aside } = await restoreBackup(home, {}, folder, system, { force: true })
  expect((await contentOf(home, {})).keys).toHaveLength(30)
  expect(readFileSync(home.config, 'utf8')).toBe(SMALL_FILES['config.yaml'])
  expect(existsSync(home.vaultPolicy('new'))).toBe(false)
  expect(readFileSync(home.hubToken, 'utf8')).toBe('secret\n')
  const aside = homeAt(moved_aside ?? '', {})
  expect((await contentOf(aside, {})).keys).toHaveLength(33)
  expect(readFileSync(aside.config, 'utf8')).toContain('7')
  expect(existsSync(aside.vaultPolicy('new'))).toBe(true)
})

test('a home in use by another process is not replaced, sound or damaged', async () => {
  const home = await filledHome()
  const { folder } = await createBackup(home, {}, join(temporaryFolder(), 'b'), system)
  const writer = startWriter(home.folder, 'other', 1_000_000)
  while (writer.acknowledged().length === 0 && writer.child.exitCode === null)
    await new Promise((resolve) => setTimeout(resolve, 5))
  await expect(restoreBackup(home, {}, folder, system, { force: true })).rejects.toThrow('is in use')
  writer.child.kill('SIGSTOP')
  const bytes = readFileSync(home.database)
  writeFileSync(home.database, Buffer.concat([Buffer.from('spoilt header!!!'), bytes.subarray(16)]))
  await expect(restoreBackup(home, {}, folder, system, { force: true })).rejects.toThrow('is in use')
  writer.child.kill('SIGKILL')
  await writer.ended
  const { moved_aside } = await restoreBackup(home, {}, folder, system, { force: true })
  expect((await contentOf(home, {})).keys).toHaveLength(30)
  const kept = readFileSync(join(moved_aside ?? '', 'knowtation.db'))
  expect(kept.subarray(0, 16).toString('latin1')).toBe('spoilt header!!!')
})

test('a backup of the other kind, of a newer program, or over a filled PostgreSQL is refused', async () => {
  const home = await filledHome()
  const { folder, manifest } = await createBackup(home, {}, join(temporaryFolder(), 'b'), system)
  const env = await freshEnv('postgres')
  await expect(restoreBackup(newHome(), env, folder, system)).rejects.toThrow('Unset KNOWTATION_DATABASE_URL')
  writeFileSync(join(folder, 'manifest.json'), JSON.stringify({ ...manifest, schema_version: 999 }))
  await expect(restoreBackup(newHome(), {}, folder, system)).rejects.toMatchObject({ name: 'StorageTooNew' })
  const other = await filledHome(env)
  const dump = await createBackup(other, env, join(temporaryFolder(), 'b'), system)
  await expect(restoreBackup(newHome(), {}, dump.folder, system)).rejects.toThrow(
    'Set KNOWTATION_DATABASE_URL',
  )
  const refused = restoreBackup(other, env, dump.folder, system, { force: true })
  await expect(refused).rejects.toThrow('not empty')
  expect((await contentOf(other, env)).keys).toHaveLength(30)
})
