import type { AuditRecord } from './audit-record.ts'

/** Equal refusals within this time after the first are told in one record. */
const WINDOW_MS = 10_000
/** So many equal refusals are written one by one before counting begins. */
const WRITTEN_SINGLY = 10
/** Kinds of refusal counted at once; what goes beyond is counted without its caller. */
const KIND_LIMIT = 1_000

interface Flood {
  seen: number
  opened_at: number
  counted: AuditRecord | undefined
}

/**
 * Keeps a flood of equal refusals from filling the disk: after the first few, a window of them becomes
 * one record with a count, and stays so until a whole window was quiet. Only refusals pass through here;
 * what was done is always written singly. A count that could not be written is kept and written later.
 */
export function coalesceRefusals(append: (record: AuditRecord) => Promise<void>) {
  const floods = new Map<string, Flood>()

  function count(key: string, record: AuditRecord, now: number): void {
    const flood = floods.get(key) ?? { seen: WRITTEN_SINGLY, opened_at: now, counted: undefined }
    flood.counted = joined(flood.counted, record)
    floods.set(key, flood)
  }

  /** Writes one window's count and begins the next window; a flood that has ended is forgotten. */
  async function turnWindow(key: string, flood: Flood, now: number): Promise<void> {
    const { counted, opened_at } = flood
    if (!counted) return void floods.delete(key)
    Object.assign(flood, { counted: undefined, opened_at: now })
    try {
      await append(counted)
    } catch (error) {
      count(key, counted, opened_at)
      throw error
    }
  }

  async function flush(now: number, all: boolean): Promise<void> {
    const due = [...floods].filter(([, flood]) => all || isOver(flood, now))
    const turned = await Promise.allSettled(due.map(([key, flood]) => turnWindow(key, flood, now)))
    for (const result of turned) if (result.status === 'rejected') throw result.reason
  }

  return {
    /** Writes the refusal, or counts it when it is one of many. */
    async append(record: AuditRecord): Promise<void> {
      const now = Date.parse(record.at)
      const key = kindOf(record, floods)
      try {
        const known = floods.get(key)
        if (known && isOver(known, now)) await turnWindow(key, known, now)
        const flood = floods.get(key) ?? { seen: 0, opened_at: now, counted: undefined }
        floods.set(key, flood)
        if (flood.seen >= WRITTEN_SINGLY) return count(key, record, now)
        flood.seen++
        await append(record)
      } catch (error) {
        count(key, record, now)
        throw error
      }
    },
    flushDue: (now: Date) => flush(now.getTime(), false),
    flushAll: () => flush(0, true),
  }
}

export type RefusalLog = ReturnType<typeof coalesceRefusals>

/** A clock that was set back ends a window too: it must not stay open until the old time comes again. */
function isOver(flood: Flood, now: number): boolean {
  return now - flood.opened_at >= WINDOW_MS || now < flood.opened_at
}

function kindOf(record: AuditRecord, known: ReadonlyMap<string, unknown>): string {
  const act = `${record.surface}|${record.operation}|${record.code}|${record.policy_revision}`
  const own = `${record.caller_kind}|${record.caller_id}|${record.client}|${record.vault_id}|${act}`
  return known.has(own) || known.size < KIND_LIMIT ? own : `*|${act}`
}

/** What the calls of a count had in common is named; where they differed there is a star, or no target. */
function joined(sum: AuditRecord | undefined, record: AuditRecord): AuditRecord {
  if (!sum) return record
  const sameTarget = sum.target_id === record.target_id && sum.target_kind === record.target_kind
  const common = (field: 'caller_kind' | 'caller_id' | 'client' | 'vault_id') =>
    sum[field] === record[field] ? record[field] : '*'
  return {
    ...record,
    repeats: sum.repeats + record.repeats,
    duration_us: Math.max(sum.duration_us, record.duration_us),
    target_kind: sameTarget ? record.target_kind : null,
    target_id: sameTarget ? record.target_id : null,
    caller_kind: common('caller_kind'),
    caller_id: common('caller_id'),
    client: common('client'),
    vault_id: common('vault_id'),
  }
}
