import { lstatSync } from 'node:fs'
import { relative } from 'node:path'
import { type Home, listVaults } from '../../basics/home.ts'

/**
 * The owner's small files that belong to a backup, by their path in the home. The hub token is not among
 * them: it opens everything, and a hub that misses it makes a new one.
 */
export function listHomeFiles(home: Home): string[] {
  const files = [home.auditKey, home.secretsKey, home.config]
  for (const vault_id of listVaults(home)) files.push(home.vaultPolicy(vault_id), home.vaultMembers(vault_id))
  return files
    .filter((path) => lstatSync(path, { throwIfNoEntry: false })?.isFile())
    .map((path) => relative(home.folder, path))
}
