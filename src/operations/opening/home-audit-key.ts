import { type AuditKey, parseAuditKey } from '../../platform/audit/audit-key.ts'
import { isChainBegun, SealedElsewhere } from '../../platform/audit/audit-log.ts'
import type { Home } from '../../platform/basics/home.ts'
import { findFile, readOrCreatePrivateFile } from '../../platform/basics/private-file.ts'
import type { System } from '../../platform/basics/system.ts'
import type { Database } from '../../platform/storage/database.ts'

/** The audit key that the environment or the home has, if either has one. */
export function findAuditKey(home: Home, env: NodeJS.ProcessEnv): AuditKey | undefined {
  const given = env.KNOWTATION_AUDIT_KEY
  if (given) return parseAuditKey(given, 'KNOWTATION_AUDIT_KEY')
  const kept = findFile(home.auditKey)
  return kept === undefined ? undefined : parseAuditKey(kept, home.auditKey)
}

/**
 * Makes the key of a chain that is to begin. It comes after the tables, so that a home with a key has had a database.
 * A chain that has begun has its key somewhere: another one in its place would go into backups instead of it.
 */
export async function makeAuditKey(db: Database, home: Home, system: System): Promise<AuditKey> {
  if (!(await isChainBegun(db))) readOrCreatePrivateFile(home.auditKey, () => `${system.random(32)}\n`)
  const key = findAuditKey(home, {})
  if (!key) throw new SealedElsewhere()
  return key
}
