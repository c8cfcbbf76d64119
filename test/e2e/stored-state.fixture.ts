import { readFileSync } from 'node:fs'
import { parseAuditKey } from '../../src/platform/audit/audit-key.ts'
import { type ChainReport, verifyChain } from '../../src/platform/audit/verify-chain.ts'
import type { Home } from '../../src/platform/basics/home.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { openDatabase } from '../../src/platform/storage/open-database.ts'

const readTokens = sql<{ token_id: string }>('SELECT token_id FROM tokens')
const readCalls = sql<{ operation: string; calls: number }>(
  `SELECT operation, SUM(repeats) AS calls FROM audit_records WHERE outcome = 'allowed' GROUP BY operation`,
)

/** What a store holds once no hub is using it any more. */
export interface StoredState {
  chain: ChainReport
  tokens: Set<string>
  /** Successful calls by operation, as the audit log tells them. */
  calls: Record<string, number>
}

/** Reads a store directly. */
export async function readStored(home: Home, env: Record<string, string> = {}): Promise<StoredState> {
  const key = parseAuditKey(env.KNOWTATION_AUDIT_KEY ?? readFileSync(home.auditKey, 'utf8'), home.auditKey)
  const db = await openDatabase(home, env, new Date(), { checkIntegrity: true })
  try {
    return {
      chain: await verifyChain(db, key),
      tokens: new Set((await db.all(readTokens)).map(({ token_id }) => token_id)),
      calls: Object.fromEntries((await db.all(readCalls)).map((row) => [row.operation, Number(row.calls)])),
    }
  } finally {
    await db.close()
  }
}
