import { existsSync, rmSync, statSync } from 'node:fs'
import { basename, join, resolve } from 'node:path'
import type { Home } from '../../basics/home.ts'
import { ensurePrivateFolder } from '../../basics/private-file.ts'
import type { System } from '../../basics/system.ts'
import { StorageTooNew } from '../database.ts'
import { findPostgresUrl } from '../open-database.ts'
import { migrations } from '../schema.ts'
import { stampOf } from './backup.ts'
import { BackupDamaged, type BackupManifest, checkBackup } from './backup-manifest.ts'
import { copyPrivateFile, ensureFolder, syncTree, writePrivateFile } from './durable-files.ts'
import { clearBrokenOff, findKept, KEPT, STAGED } from './half-restored.ts'
import type { Restoration } from './restoration.ts'
import { switchFiles } from './switch-files.ts'

/** What a restore did. */
export interface Restored {
  manifest: BackupManifest
  /** The folder that now holds what was in the home before, if there was anything. */
  moved_aside: string | null
}

/**
 * Puts a backup in the place of what a home holds. Everything is checked and staged inside the home
 * first; then each file is switched in one step, the database last. A restore that is broken off is simply
 * made again; where it had begun to switch, no program opens the home until then. What was there before is
 * kept in a folder beside it. A database that any process has open is always refused, and one that holds
 * something unless `force` is set. A PostgreSQL schema must be empty in any case, and is filled in one transaction.
 */
export async function restoreBackup(
  home: Home,
  env: NodeJS.ProcessEnv,
  source: string,
  system: System,
  options: { force?: boolean } = {},
): Promise<Restored> {
  const from = resolve(source)
  const manifest = checkBackup(from)
  const url = findPostgresUrl(env)
  checkFits(manifest, url)
  ensurePrivateFolder(home.folder)
  const name = `${stampOf(system.now())}-${system.random(3)}`
  // What a restore that was broken off has left in place is not what was there.
  const aside = findKept(home) ?? join(home.folder, `${KEPT}${name}`)
  const stage = join(home.folder, `${STAGED}${name}`)
  try {
    if (url) {
      stageFiles(home, manifest, from, stage)
      leaveNote(home, stage, noteOf(manifest, from, name, system))
      await loadTables(url, manifest, from, system.now())
      return { manifest, moved_aside: replaceFiles(home, stage, aside) }
    }
    const { checkCopy, whileUnused } = await import('../sqlite/sqlite-copy.ts')
    return whileUnused(home.database, () => {
      checkReplaceable(home, options.force ?? false)
      stageFiles(home, manifest, from, stage)
      checkCopy(join(stage, basename(home.database)))
      leaveNote(home, stage, noteOf(manifest, from, name, system))
      // It follows the database by numbers, which mean something else in another one.
      for (const ending of ['', '-wal', '-shm']) rmSync(`${home.recordIndex}${ending}`, { force: true })
      return { manifest, moved_aside: replaceFiles(home, stage, aside) }
    })
  } finally {
    rmSync(stage, { recursive: true, force: true })
  }
}

function replaceFiles(home: Home, stage: string, aside: string): string | null {
  const moved_aside = switchFiles(home, stage, aside)
  clearBrokenOff(home)
  return moved_aside
}

function checkFits(manifest: BackupManifest, url: string | undefined): void {
  if (manifest.kind === 'sqlite' && !manifest.files.some(({ path }) => path === 'database.db'))
    throw new BackupDamaged('The backup has no database.')
  if ((manifest.kind === 'postgres') !== (url !== undefined)) {
    const needed = manifest.kind === 'postgres' ? 'Set' : 'Unset'
    throw new Error(`The backup is of a ${manifest.kind} database. ${needed} KNOWTATION_DATABASE_URL.`)
  }
  const newest = migrations.at(-1)?.version ?? 0
  if (manifest.schema_version > newest)
    throw new StorageTooNew('The backup was made by a newer program. Use that one.')
}

function checkReplaceable(home: Home, force: boolean): void {
  if (force || !existsSync(home.database) || statSync(home.database).size === 0) return
  throw new Error(`${home.database} holds data. With --force it is moved aside and replaced.`)
}

/** Copies the backup's files to where one rename brings them home. */
function stageFiles(home: Home, manifest: BackupManifest, from: string, stage: string): void {
  ensureFolder(stage)
  for (const { path } of manifest.files) {
    if (path === 'database.db') copyPrivateFile(join(from, path), join(stage, basename(home.database)))
    else if (path.startsWith('home/'))
      copyPrivateFile(join(from, path), join(stage, path.slice('home/'.length)))
  }
  syncTree(stage)
}

/** The hub that opens the home next puts on record what was restored. */
function leaveNote(home: Home, stage: string, note: Restoration): void {
  writePrivateFile(join(stage, basename(home.restored)), `${JSON.stringify(note)}\n`)
  syncTree(stage)
}

function noteOf({ created_at }: BackupManifest, from: string, name: string, system: System): Restoration {
  const restored_at = system.now().toISOString()
  return { restore_id: name, backup: basename(from), as_of: created_at, restored_at }
}

async function loadTables(url: string, manifest: BackupManifest, from: string, now: Date): Promise<void> {
  const tables = manifest.files.flatMap(({ path }) => /^tables\/(\w+)\.jsonl$/.exec(path)?.[1] ?? [])
  const db = await (await import('../postgres/postgres.ts')).openPostgres(url)
  try {
    const { loadPostgres } = await import('../postgres/postgres-dump.ts')
    await loadPostgres(db, from, { schema_version: manifest.schema_version, tables }, now)
  } finally {
    await db.close()
  }
}
