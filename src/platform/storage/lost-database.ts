import { statSync } from 'node:fs'
import type { Home } from '../basics/home.ts'
import { StorageDamaged } from './database.ts'
import { findPostgresUrl } from './open-database.ts'

/**
 * Refuses a home in use whose database file is gone or was emptied. One made in its place would be a hub without
 * tokens and flows whose log, of nothing, verifies. Call it only where the home has its audit key, which is made
 * after the tables; a key from the environment may well be there before its first database.
 */
export function checkNotLost(home: Home, env: NodeJS.ProcessEnv): void {
  if (findPostgresUrl(env) || env.KNOWTATION_AUDIT_KEY) return
  const file = statSync(home.database, { throwIfNoEntry: false })
  if (file === undefined) throw lost(home, 'is gone')
  if (file.size === 0) throw lost(home, 'is empty')
}

function lost({ database, auditKey }: Home, how: string): StorageDamaged {
  return new StorageDamaged(
    `${database} ${how}, although this home was in use. Nothing was made in its place. ` +
      'A hub on PostgreSQL needs its address in the environment. ' +
      `To begin anew without what was there, move ${auditKey} away.`,
  )
}
