import { type AuditRecord, type CallReferences, STRANGER } from './audit-record.ts'

/** Equal refusals within this time after the first are told in one record. */
const WINDOW_MS = 10_000
/** So many equal refusals are written one by one before counting begins. */
const WRITTEN_SINGLY = 10
/** Kinds of refusal counted at once; what goes beyond is counted without its caller. */
const KIND_LIMIT = 1_000
/** Kinds of refusal of callers without a credential: they choose what they vary, so only their codes are told apart. */
const STRANGER_KIND_LIMIT = 8
/** So many records may refusals of all strangers together take at once, and one more after each such time. */
const STRANGER_RECORDS = 20
const STRANGER_RECORD_EVERY_MS = 300_000

interface Flood {
  is_strange: boolean
  seen: number
  opened_at: number
  counted: AuditRecord | undefined
}

/**
 * Keeps a flood of equal refusals from filling the disk: after the first few, a window of them becomes
 * one record with a count, and stays so until a whole window was quiet. Only refusals pass through here;
 * what was done is always written singly. A count that could not be written is kept and written later.
 *
 * Whoever brings no credential could fill the log by varying what they ask for, so their refusals share one budget
 * of records: beyond it they are counted until there is room again.
 */
export function coalesceRefusals(append: (record: AuditRecord) => Promise<void>) {
  const floods = new Map<string, Flood>()
  const strangers = recordBudget()

  function count(key: string, record: AuditRecord, now: number): void {
    const is_strange = isStranger(record)
    const flood = floods.get(key) ?? { is_strange, seen: WRITTEN_SINGLY, opened_at: now, counted: undefined }
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

  /** Whether a window is over; room for the record of its count is taken then. */
  function isDue(flood: Flood, now: number): boolean {
    if (!isOver(flood, now)) return false
    return !flood.is_strange || !flood.counted || strangers.take(now)
  }

  /** Whether one more refusal of the kind gets a record of its own. */
  function isSingle(flood: Flood, now: number): boolean {
    return flood.is_strange ? !flood.counted && strangers.take(now) : flood.seen < WRITTEN_SINGLY
  }

  async function flush(now: number, all: boolean): Promise<void> {
    const due = [...floods].filter(([, flood]) => all || isDue(flood, now))
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
        if (known && isDue(known, now)) await turnWindow(key, known, now)
        const is_strange = isStranger(record)
        const flood = floods.get(key) ?? { is_strange, seen: 0, opened_at: now, counted: undefined }
        floods.set(key, flood)
        if (!isSingle(flood, now)) return count(key, record, now)
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

function isStranger({ caller_kind }: AuditRecord): boolean {
  return caller_kind === STRANGER
}

/** Room for some records at once, and for one more after each such time. */
function recordBudget() {
  let room = STRANGER_RECORDS
  let counted_from: number | undefined
  return {
    /** Uses room for a record, where there is any. */
    take(now: number): boolean {
      // A clock that was set back begins a new count: what was gained by the old one is not gained twice.
      counted_from = Math.min(counted_from ?? now, now)
      const gained = Math.floor((now - counted_from) / STRANGER_RECORD_EVERY_MS)
      counted_from += gained * STRANGER_RECORD_EVERY_MS
      room = Math.min(STRANGER_RECORDS, room + gained)
      if (room === 0) return false
      room--
      return true
    },
  }
}

function kindOf(record: AuditRecord, known: ReadonlyMap<string, Flood>): string {
  if (isStranger(record)) {
    const own = `${STRANGER}|${record.code}`
    const kinds = [...known.values()].filter(({ is_strange }) => is_strange).length
    return known.has(own) || kinds < STRANGER_KIND_LIMIT ? own : `${STRANGER}|*`
  }
  const act = `${record.surface}|${record.operation}|${record.code}|${record.policy_revision}`
  const own = `${record.caller_kind}|${record.caller_id}|${record.client}|${record.vault_id}|${record.grant_id}|${act}`
  return known.has(own) || known.size < KIND_LIMIT ? own : `*|${act}`
}

/** What the calls of a count had in common is named; where they differed there is a star, or no target. */
function joined(sum: AuditRecord | undefined, record: AuditRecord): AuditRecord {
  if (!sum) return record
  const sameTarget = sum.target_id === record.target_id && sum.target_kind === record.target_kind
  const common = <
    Field extends 'surface' | 'operation' | 'caller_kind' | 'caller_id' | 'client' | 'vault_id',
  >(
    field: Field,
  ) => (sum[field] === record[field] ? record[field] : '*')
  const reference = (field: keyof CallReferences) => (sum[field] === record[field] ? record[field] : null)
  return {
    ...record,
    grant_id: reference('grant_id'),
    flow_id: reference('flow_id'),
    flow_version: reference('flow_version'),
    seat_id: reference('seat_id'),
    request_id: reference('request_id'),
    repeats: sum.repeats + record.repeats,
    duration_us: Math.max(sum.duration_us, record.duration_us),
    target_kind: sameTarget ? record.target_kind : null,
    target_id: sameTarget ? record.target_id : null,
    caller_kind: common('caller_kind'),
    caller_id: common('caller_id'),
    client: common('client'),
    vault_id: common('vault_id'),
    surface: common('surface'),
    operation: common('operation'),
    code: sum.code === record.code ? record.code : '*',
    policy_revision: sum.policy_revision === record.policy_revision ? record.policy_revision : '*',
  }
}
