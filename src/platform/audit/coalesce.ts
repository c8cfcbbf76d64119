import type { AuditRecord } from './audit-record.ts'

/** Equal refusals within this time after the first are told in one record. */
const WINDOW_MS = 10_000
/** So many equal refusals of a window are written one by one before counting begins. */
const WRITTEN_SINGLY = 10
/** Kinds of refusal counted at once; what goes beyond shares one count. */
const KIND_LIMIT = 1_000

interface Flood {
  seen: number
  opened_at: number
  last: AuditRecord | undefined
}

/**
 * Keeps a flood of equal refusals from filling the disk: after the first few, a window of them becomes
 * one record with a count. Only refusals pass through here; what was done is always written singly.
 */
export function coalesceRefusals(append: (record: AuditRecord) => Promise<void>) {
  const floods = new Map<string, Flood>()

  async function flush(now: number, all: boolean): Promise<void> {
    const due: AuditRecord[] = []
    for (const [key, flood] of floods) {
      if (!all && now - flood.opened_at < WINDOW_MS) continue
      floods.delete(key)
      if (flood.last) due.push(flood.last)
    }
    await Promise.all(due.map(append))
  }

  return {
    /** Writes the refusal, or counts it when it is one of many. */
    async append(record: AuditRecord): Promise<void> {
      const now = Date.parse(record.at)
      const key = kindOf(record, floods.size >= KIND_LIMIT)
      let flood = floods.get(key)
      if (flood && now - flood.opened_at >= WINDOW_MS) {
        floods.delete(key)
        if (flood.last) await append(flood.last)
        flood = undefined
      }
      if (!flood) floods.set(key, (flood = { seen: 0, opened_at: now, last: undefined }))
      flood.seen++
      if (flood.seen <= WRITTEN_SINGLY) return append(record)
      flood.last = joined(flood.last, record)
    },
    flushDue: (now: Date) => flush(now.getTime(), false),
    flushAll: () => flush(0, true),
  }
}

export type RefusalLog = ReturnType<typeof coalesceRefusals>

function kindOf(record: AuditRecord, crowded: boolean): string {
  const caller = crowded
    ? '*'
    : `${record.caller_kind}|${record.caller_id}|${record.client}|${record.vault_id}`
  return `${caller}|${record.surface}|${record.operation}|${record.code}|${record.policy_revision}`
}

/** A count names the target only while all of its calls had the same one. */
function joined(sum: AuditRecord | undefined, record: AuditRecord): AuditRecord {
  if (!sum) return record
  const same = sum.target_id === record.target_id && sum.target_kind === record.target_kind
  return {
    ...record,
    repeats: sum.repeats + record.repeats,
    duration_us: Math.max(sum.duration_us, record.duration_us),
    target_kind: same ? record.target_kind : null,
    target_id: same ? record.target_id : null,
    caller_kind: sum.caller_kind,
    caller_id: sum.caller_id === record.caller_id ? record.caller_id : '*',
  }
}
