import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { sql } from '../platform/storage/database.ts'
import type { Hub } from './hub.ts'

const anything = sql<{ one: number }>(
  `SELECT 1 AS one FROM tokens WHERE vault_id = ? UNION ALL SELECT 1 FROM flow_versions WHERE vault_id = ?
   UNION ALL SELECT 1 FROM toolbox_sessions WHERE vault_id = ? LIMIT 1`,
)

/** Whether there is a vault of this name: it has settings, or something was made in it. */
export async function isVault({ db, home }: Pick<Hub, 'db' | 'home'>, vault: string): Promise<boolean> {
  if (existsSync(dirname(home.vaultPolicy(vault)))) return true
  return (await db.get(anything, vault, vault, vault)) !== undefined
}
