import { join } from 'node:path'
import type { Home } from '../../platform/basics/home.ts'
import type { Log } from '../../platform/basics/plain-log.ts'
import type { System } from '../../platform/basics/system.ts'
import type { HubConfig } from '../../platform/policy/hub-config.ts'
import { UPGRADES } from '../../platform/storage/backup/upgrade-backups.ts'

interface Place {
  readonly home: Home
  readonly env: NodeJS.ProcessEnv
  readonly system: System
  readonly log: Log
  readonly config: HubConfig
}

/** Keeps a home as it was, before a newer program brings its database forward: there is no other way back. */
export function backupFirst({ home, env, system, log, config }: Place) {
  return async (found: number, newest: number): Promise<void> => {
    if (!config.backup_before_upgrade) return
    const { createBackup, stampOf } = await import('../../platform/storage/backup/backup.ts')
    // Hubs that start at the same moment keep it each.
    const name = `schema-${found}-${stampOf(system.now())}-${system.random(3)}`
    const place = join(home.folder, UPGRADES, name)
    try {
      const { folder } = await createBackup(home, env, place, system)
      log.warn({ folder, from: found, to: newest }, 'kept before the database is brought forward')
    } catch (cause) {
      throw new Error(
        `The database has to be brought forward (step ${found} to ${newest}), and could not be kept before: ` +
          `${(cause as Error).message.replace(/\.$/, '')}. Nothing was changed. ` +
          'Make room, or make a backup by hand and set `backup_before_upgrade: false` in config.yaml.',
        { cause },
      )
    }
  }
}
