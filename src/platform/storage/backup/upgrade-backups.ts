import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import type { Home } from '../../basics/home.ts'
import { type BackupManifest, readManifest } from './backup-manifest.ts'

/** Where the home keeps what it was before each upgrade of its database. */
export const UPGRADES = 'before-upgrades'

export interface KeptBackup extends Pick<BackupManifest, 'created_at' | 'schema_version'> {
  readonly folder: string
}

/** What was kept before upgrades, newest first. One that cannot be read is none. */
export function listUpgradeBackups({ folder }: Home): KeptBackup[] {
  const place = join(folder, UPGRADES)
  if (!lstatSync(place, { throwIfNoEntry: false })?.isDirectory()) return []
  return readdirSync(place)
    .flatMap((name) => {
      const kept = join(place, name)
      try {
        const { created_at, schema_version } = readManifest(kept)
        return [{ folder: kept, created_at, schema_version }]
      } catch {
        return []
      }
    })
    .toSorted((a, b) => (a.created_at < b.created_at ? 1 : -1))
}
