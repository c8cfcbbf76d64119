import { existsSync, lstatSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import type { Home } from '../../basics/home.ts'
import { findFile, syncPath } from '../../basics/private-file.ts'
import type { System } from '../../basics/system.ts'
import { findPostgresUrl } from '../open-database.ts'
import { type BackupManifest, describeFile, MANIFEST } from './backup-manifest.ts'
import { clearBrokenOffBackups, draftOf } from './broken-off-backups.ts'
import { copyPrivateFile, ensureFolder, syncTree, writePrivateFile } from './durable-files.ts'
import { checkWhole } from './half-restored.ts'
import { listHomeFiles } from './home-files.ts'

/** Where a backup was written and what is in it. */
export interface Backup {
  folder: string
  manifest: BackupManifest
  /** Folders beside it that killed backups had left, and that are gone now. */
  cleared: string[]
}

/**
 * Writes a backup while hubs may be running: a folder that only its owner can read, with the database as
 * it stood at one moment, the owner's small files and a manifest with the hash of each.
 *
 *     manifest.json           format, kind, created_at, schema_version, files
 *     database.db             SQLite: one sound, compact file
 *     tables/<table>.jsonl    PostgreSQL: the rows, one a line
 *     home/…                  audit-key, secrets-key, config.yaml, vaults/<id>/policy.yaml and members.yaml
 *
 * A folder and not one archive: any tool can copy, inspect or pack it. The audit key is in it, since
 * without it the chain could not be continued, and the key of the credentials, unless it is in the environment; so keep a backup as private as the home. The hub token is
 * not: a restored hub makes a new one. The folder appears under its name only when it is whole, and an
 * existing one is never touched; what killed backups have left beside it is taken away. SQLite is copied in one go on this thread: call it from a command line,
 * not from a hub that is answering.
 */
export async function createBackup(
  home: Home,
  env: NodeJS.ProcessEnv,
  destination: string,
  system: System,
): Promise<Backup> {
  const folder = resolve(destination)
  checkFree(folder)
  if (existsSync(home.folder)) checkWhole(home)
  ensureFolder(dirname(folder))
  const cleared = clearBrokenOffBackups(folder)
  const draft = draftOf(folder, system.random(4))
  try {
    ensureFolder(draft)
    const manifest = await fillBackup(home, env, draft, system)
    checkFree(folder)
    renameSync(draft, folder)
    syncPath(dirname(folder))
    return { folder, manifest, cleared }
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

/** A name for a backup made at this moment. */
export function backupName(now: Date): string {
  return `knowtation-backup-${stampOf(now)}`
}

/** A moment as a part of a file name. */
export function stampOf(now: Date): string {
  return now.toISOString().replace(/[-:]|\.\d+/g, '')
}

function checkFree(folder: string): void {
  if (lstatSync(folder, { throwIfNoEntry: false }))
    throw new Error(`${folder} exists already. A backup never overwrites anything: choose another name.`)
}

async function fillBackup(
  home: Home,
  env: NodeJS.ProcessEnv,
  draft: string,
  system: System,
): Promise<BackupManifest> {
  checkKeyAtRest(home)
  const created_at = system.now().toISOString()
  const small = listHomeFiles(home).map((path) => ({ from: join(home.folder, path), to: `home/${path}` }))
  for (const { from, to } of small) copyPrivateFile(from, join(draft, to))
  const database = await copyDatabase(home, env, draft)
  checkKeyAtRest(home, join(draft, 'home', basename(home.secretsKey)))
  const files = [...database.files, ...small.map(({ to }) => to)].map((path) => describeFile(draft, path))
  const { kind, schema_version } = database
  const manifest: BackupManifest = { format: 1, kind, created_at, schema_version, files }
  writePrivateFile(join(draft, MANIFEST), `${JSON.stringify(manifest, null, 2)}\n`)
  syncTree(draft)
  return manifest
}

/** A backup has a key and what it opens, or is none: both are copied while the key is not exchanged. */
function checkKeyAtRest(home: Home, copy?: string): void {
  const isSame = copy === undefined || findFile(home.secretsKey) === findFile(copy)
  if (isSame && !existsSync(home.nextSecretsKey)) return
  throw new Error(
    'The secrets key is being exchanged. Finish that with `knowtation secrets rotate`, then make the backup.',
  )
}

async function copyDatabase(home: Home, env: NodeJS.ProcessEnv, draft: string) {
  const url = findPostgresUrl(env)
  if (!url) {
    const { copySqlite } = await import('../sqlite/sqlite-copy.ts')
    const schema_version = copySqlite(home.database, join(draft, 'database.db'))
    return { kind: 'sqlite' as const, schema_version, files: ['database.db'] }
  }
  const db = await (await import('../postgres/postgres.ts')).openPostgres(url)
  try {
    const { dumpPostgres } = await import('../postgres/postgres-dump.ts')
    return { kind: 'postgres' as const, ...(await dumpPostgres(db, draft)) }
  } finally {
    await db.close()
  }
}
