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
const REFUSED_STRANGERS = { records: 20, every_ms: 300_000 }
/** The same for what strangers may ask for as often as they like, such as a registration. */
const ASKING_STRANGERS = { records: 100, every_ms: 60_000 }

interface Flood {
  /** What its records are taken from, where strangers make them. */
  budget: Budget | undefined
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
 * of records: beyond it they are counted until there is room again. What they ask for without a credential and get, such
 * as a registration that opens nothing, has another one.
 */
export function coalesceRefusals(append: (record: AuditRecord) => Promise<void>) {
  const floods = new Map<string, Flood>()
  const refused = recordBudget(REFUSED_STRANGERS)
  const asking = recordBudget(ASKING_STRANGERS)
  const budgetOf = (record: AuditRecord) =>
    isStranger(record) ? (record.outcome === 'allowed' ? asking : refused) : undefined

  function count(key: string, record: AuditRecord, now: number): void {
    const budget = budgetOf(record)
    const flood = floods.get(key) ?? { budget, seen: WRITTEN_SINGLY, opened_at: now, counted: undefined }
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
    return !flood.budget || !flood.counted || flood.budget.take(now)
  }

  /** Whether one more refusal of the kind gets a record of its own. */
  function isSingle(flood: Flood, now: number): boolean {
    return flood.budget ? !flood.counted && flood.budget.take(now) : flood.seen < WRITTEN_SINGLY
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
        const budget = budgetOf(record)
        const flood = floods.get(key) ?? { budget, seen: 0, opened_at: now, counted: undefined }
        floods.set(key, flood)
        if (!isSingle(flood, now)) return count(key, record, now)
        flood.seen++
        await append(record)
      } catch (error) {
        count(key, record, now)
        throw error
      }
    },
    /** Whether one more of what strangers ask for gets a record of its own, which its caller then writes. */
    hasRoom: (now: Date) => asking.take(now.getTime()),
    /** Counts one that got none. */
    count: (record: AuditRecord) => count(kindOf(record, floods), record, Date.parse(record.at)),
    flushDue: (now: Date) => flush(now.getTime(), false),
    flushAll: () => flush(0, true),
  }
}

export type RefusalLog = ReturnType<typeof coalesceRefusals>

/**
 * A clock that was set back ends a window too: it must not stay open until the old time comes again. Refusals of one
 * moment end in another order than they began, so a little earlier is no such clock's.
 */
function isOver(flood: Flood, now: number): boolean {
  return Math.abs(now - flood.opened_at) >= WINDOW_MS
}

function isStranger({ caller_kind }: AuditRecord): boolean {
  return caller_kind === STRANGER
}

type Budget = ReturnType<typeof recordBudget>

/** Room for some records at once, and for one more after each such time. */
function recordBudget({ records, every_ms }: typeof REFUSED_STRANGERS) {
  let room = records
  let counted_from: number | undefined
  return {
    /** Uses room for a record, where there is any. */
    take(now: number): boolean {
      // A clock that was set back begins a new count: what was gained by the old one is not gained twice.
      counted_from = Math.min(counted_from ?? now, now)
      const gained = Math.floor((now - counted_from) / every_ms)
      counted_from += gained * every_ms
      room = Math.min(records, room + gained)
      if (room === 0) return false
      room--
      return true
    },
  }
}

function kindOf(record: AuditRecord, known: ReadonlyMap<string, Flood>): string {
  if (isStranger(record)) {
    // What may be asked for is the hub's to say, so there are no more kinds of it than operations.
    if (record.outcome === 'allowed') return `asked|${record.operation}`
    const own = `${STRANGER}|${record.code}`
    const kinds = [...known.keys()].filter((key) => key.startsWith(`${STRANGER}|`)).length
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
