import { type Reader, sql } from '../storage/database.ts'
import type { ChainedRecord } from './audit-record.ts'

/** The kind of target that stands for an event, kept beside the log under the number of the record that seals it. */
const SEALED_KIND = 'owner_event'

const between = sql<{ seq: number; event_json: string }>(
  'SELECT seq, event_json FROM owner_events WHERE seq >= ? AND seq <= ?',
)

/**
 * The records, those that seal an event with the facts that it tells. Whether it was changed since, others check; one
 * that nobody can read any more is left out, so that it hides no record.
 */
export async function withEventData<One extends ChainedRecord>(
  db: Reader,
  records: readonly One[],
): Promise<(One & { data?: Record<string, unknown> })[]> {
  const sealing = records.filter(({ target_kind }) => target_kind === SEALED_KIND).map(({ seq }) => seq)
  if (sealing.length === 0) return [...records]
  const rows = await db.all(between, Math.min(...sealing), Math.max(...sealing))
  const told = new Map(rows.map(({ seq, event_json }) => [seq, dataOf(event_json)]))
  return records.map((record) => {
    const data = record.target_kind === SEALED_KIND ? told.get(record.seq) : undefined
    return data === undefined ? record : { ...record, data }
  })
}

function dataOf(event_json: string): Record<string, unknown> | undefined {
  try {
    const { data } = Object(JSON.parse(event_json)) as { data?: unknown }
    const isTold = typeof data === 'object' && data !== null && !Array.isArray(data)
    return isTold ? (data as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}
