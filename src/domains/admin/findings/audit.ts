import type { Hub } from '../../../operations/hub.ts'
import { verifyChain } from '../../../platform/audit/verify-chain.ts'
import { counted } from '../../../platform/basics/counted.ts'
import { sql } from '../../../platform/storage/database.ts'
import type { Finding } from './finding.ts'

/** A longer chain is left to `audit verify`: the doctor answers at once. */
const CHECKED_RECORDS = 100_000

const readLength = sql<{ length: number }>('SELECT seq - checkpoint_seq AS length FROM audit_head')

/** Whether the audit chain is whole. */
export async function auditFindings({ db, audit }: Hub): Promise<Finding[]> {
  const length = (await db.get(readLength))?.length ?? 0
  if (length > CHECKED_RECORDS) {
    const detail = `${counted(length, 'record')}, not checked now`
    return [
      { subject: 'audit chain', state: 'ok', detail, fix: 'Check all of it with `knowtation audit verify`.' },
    ]
  }
  const { intact, records, fault } = await verifyChain(db, audit.key)
  return [
    {
      subject: 'audit chain',
      state: intact ? 'ok' : 'wrong',
      detail: intact ? `${counted(records, 'record')}, all as written` : (fault ?? 'broken'),
      fix: intact ? null : 'Someone changed the log. Keep the database as evidence and restore a backup.',
    },
  ]
}
