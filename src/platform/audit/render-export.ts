import { type Database, type Reader, StorageUnavailable } from '../storage/database.ts'
import type { AuditKey } from './audit-key.ts'
import { type AuditExport, EXPORT_PAGE_LIMIT, exportAudit } from './read-audit.ts'
import { ChainFault, checkRecord, type Place, verifyChain } from './verify-chain.ts'

/** A file holds no more records than this; the next one goes on after it. */
const EXPORT_RECORD_LIMIT = 1_000_000

/**
 * The lines of an export (JSON, one value a line): `export` with the public key and where the stretch
 * begins, its `record`s, the `checkpoint`s before it, and a signed `end`, so that a cut file is noticed.
 * A chain that is not sound is not exported: our signature would vouch for it.
 */
export async function* renderExport(
  db: Database,
  key: AuditKey,
  wanted: { after_seq: number; exported_at: string; limit?: number },
): AsyncGenerator<string> {
  const { exported_at, limit = EXPORT_RECORD_LIMIT } = wanted
  // The whole chain is walked once, with the first stretch; each later one is walked as it is written.
  const { fault } = wanted.after_seq === 0 ? await verifyChain(db, key) : { fault: null }
  if (fault !== null) throw new ChainFault(fault)
  const first = await exportAudit(db, pageOf(wanted.after_seq, limit))
  const { from_seq, previous_hash, checkpoints } = first
  const { key_id, public_key } = key
  yield line({ kind: 'export', format: 1, key_id, public_key, exported_at, from_seq, previous_hash })
  let end: Place = { seq: from_seq - 1, hash: previous_hash }
  for await (const page of pagesFrom(db, first, limit)) {
    for (const record of page.records) {
      end = checkRecord(record, end)
      yield line({ kind: 'record', ...record })
    }
  }
  for (const checkpoint of checkpoints) yield line({ kind: 'checkpoint', ...checkpoint })
  const counts = { records: end.seq - from_seq + 1, checkpoints: checkpoints.length }
  const body = { key_id, exported_at, from_seq, previous_hash, seq: end.seq, hash: end.hash, ...counts }
  yield line({ kind: 'end', ...body, signature: key.signExport(body) })
}

async function* pagesFrom(db: Reader, first: AuditExport, limit: number): AsyncGenerator<AuditExport> {
  let page = first
  let taken = page.records.length
  yield page
  while (page.next_after_seq !== null && taken < limit) {
    const expected = page.next_after_seq + 1
    page = await exportAudit(db, pageOf(page.next_after_seq, limit - taken))
    if (page.from_seq !== expected)
      throw new StorageUnavailable('Records were pruned during the export. Export again.')
    taken += page.records.length
    yield page
  }
}

function pageOf(after_seq: number, limit: number) {
  return { after_seq, limit: Math.min(limit, EXPORT_PAGE_LIMIT) }
}

function line(value: object): string {
  return JSON.stringify(value)
}
