import { existsSync, statSync } from 'node:fs'
import type { Home } from '../basics/home.ts'
import { StorageDamaged } from './database.ts'
import { findPostgresUrl } from './open-database.ts'

/**
 * Refuses a home in use whose database file is gone or was emptied. One made in its place would be a hub without
 * tokens and flows whose log, of nothing, verifies. Call it only where there is an audit key. One of the home is made
 * after the tables; one from the environment may well be there before its first database, but no witness is.
 */
export function checkNotLost(home: Home, env: NodeJS.ProcessEnv, acceptLoss: boolean): void {
  if (findPostgresUrl(env)) return
  const isOutside = !!env.KNOWTATION_AUDIT_KEY
  if (isOutside && (acceptLoss || !existsSync(home.auditWitness))) return
  const anew = isOutside
    ? 'To begin anew without what was there, on record: `knowtation audit accept-loss`.'
    : `To begin anew without what was there, move ${home.auditKey} away.`
  const file = statSync(home.database, { throwIfNoEntry: false })
  if (file === undefined) throw lost(home, 'is gone', anew)
  if (file.size === 0) throw lost(home, 'is empty', anew)
}

function lost({ database }: Home, how: string, anew: string): StorageDamaged {
  return new StorageDamaged(
    `${database} ${how}, although this home was in use. Nothing was made in its place. ` +
      `A hub on PostgreSQL needs its address in the environment. ${anew}`,
  )
}
