import { createHash } from 'node:crypto'
import { closeSync, existsSync, lstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'

/** The file in a backup that names the others. */
export const MANIFEST = 'manifest.json'
const MANIFEST_LIMIT_BYTES = 16 * 1_048_576
const CHUNK_BYTES = 1_048_576

/** Nothing but these names may stand in a manifest, so that a restore writes nowhere else. */
const FILE_NAME =
  /^(database\.db|tables\/[a-z0-9_]{1,63}\.jsonl|home\/(audit-key|secrets-key|config\.yaml|vaults\/[a-z0-9][a-z0-9_-]{0,63}\/(policy|members)\.yaml))$/

const BackupFile = z.strictObject({
  path: z.string().regex(FILE_NAME),
  bytes: z.int().nonnegative(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
})
const BackupManifest = z.strictObject({
  format: z.literal(1),
  kind: z.enum(['sqlite', 'postgres']),
  created_at: z.iso.datetime(),
  schema_version: z.int().positive(),
  files: z.array(BackupFile).max(100_000),
})
export type BackupManifest = z.infer<typeof BackupManifest>
export type BackupFile = z.infer<typeof BackupFile>

/** A backup that is not whole or not as it was written. */
export class BackupDamaged extends Error {
  override readonly name = 'BackupDamaged'
}

/** Names a file of the folder with its size and hash. */
export function describeFile(folder: string, path: string): BackupFile {
  return { path, bytes: lstatSync(join(folder, path)).size, sha256: hashFile(join(folder, path)) }
}

/** Reads the manifest of a backup and checks every file against it; throws before anything is restored. */
export function checkBackup(folder: string): BackupManifest {
  const manifest = readManifest(folder)
  const names = new Set(manifest.files.map((file) => file.path))
  if (names.size !== manifest.files.length) throw new BackupDamaged('The manifest names a file twice.')
  for (const file of manifest.files) {
    const found = lstatSync(join(folder, file.path), { throwIfNoEntry: false })
    if (!found?.isFile()) throw new BackupDamaged(`${file.path} is missing from the backup.`)
    if (found.size !== file.bytes || hashFile(join(folder, file.path)) !== file.sha256)
      throw new BackupDamaged(`${file.path} is not as it was when the backup was made.`)
  }
  return manifest
}

/** What a backup says of itself; its files are not looked at. */
export function readManifest(folder: string): BackupManifest {
  const path = join(folder, MANIFEST)
  const found = lstatSync(path, { throwIfNoEntry: false })
  if (!existsSync(folder)) throw new BackupDamaged(`${folder} does not exist.`)
  if (!found?.isFile()) throw new BackupDamaged(`${folder} is not a backup: it has no ${MANIFEST}.`)
  try {
    if (found.size > MANIFEST_LIMIT_BYTES) throw new Error('too large')
    return BackupManifest.parse(JSON.parse(readFileSync(path, 'utf8')))
  } catch (cause) {
    throw new BackupDamaged(`The ${MANIFEST} of the backup cannot be read.`, { cause })
  }
}

function hashFile(path: string): string {
  const hash = createHash('sha256')
  const chunk = Buffer.alloc(CHUNK_BYTES)
  const file = openSync(path, 'r')
  try {
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk))
      hash.update(chunk.subarray(0, read))
  } finally {
    closeSync(file)
  }
  return hash.digest('hex')
}
