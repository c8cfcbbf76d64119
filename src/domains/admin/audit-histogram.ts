import { z } from 'zod'
import { vaultMember } from '../../operations/authority.ts'
import { defineOperation } from '../../operations/define-operation.ts'
import { COUNT_SCAN_LIMIT, countMinutes, type MinuteCount } from '../../platform/audit/count-minutes.ts'
import { ownReadsOf } from './own-reads.ts'

const DEFAULT_MINUTES = 60
const MAX_MINUTES = 24 * 60
const MAX_BARS = 120

const counts = {
  allowed: z.int(),
  denied: z.int(),
  failed: z.int(),
}

export const AuditHistogramOutput = z.strictObject({
  schema: z.literal('knowtation.audit_histogram/v0'),
  vault_id: z.string(),
  bar_seconds: z.int().describe('How long one bar is'),
  bars: z.array(
    z.strictObject({
      at: z.string().describe('When it begins'),
      ...counts,
      mean_ms: z.number().describe('How long a call took on average'),
      slowest_ms: z.number(),
    }),
  ),
  total: z.strictObject(counts),
  own_reads: z.int().describe('What the owner only looked at; it is in no bar'),
  callers: z.int().describe('How many callers there were, the owner aside'),
  complete: z
    .boolean()
    .describe(`Whether all records were looked at, and not just the newest ${COUNT_SCAN_LIMIT}`),
})

export const auditHistogram = defineOperation({
  name: 'audit_histogram',
  summary: 'Count the calls of this vault by how they ended, along the last minutes.',
  effect: 'read',
  authority: vaultMember('admin'),
  whileLocked: true,
  rest: 'GET /api/v1/audit/histogram',
  cli: 'audit histogram',
  errors: {},
  input: z.strictObject({
    minutes: z
      .int()
      .min(1)
      .max(MAX_MINUTES)
      .optional()
      .describe('How far back, in minutes; 60 when left out'),
    bars: z.int().min(1).max(MAX_BARS).optional().describe('In how many bars at most; 60 when left out'),
  }),
  output: AuditHistogramOutput,
  present: async () => (await import('./present-histogram.ts')).presentHistogram,
  async handle({ input, vault_id, db, hub, now }) {
    const { minutes = DEFAULT_MINUTES, bars: wanted = DEFAULT_MINUTES } = input
    const bar_minutes = Math.ceil(minutes / Math.min(wanted, minutes))
    const last = Math.floor(now.getTime() / 60_000)
    const first = last - minutes + 1
    const found = await hub.longLooks.run(() => countMinutes(db, vault_id, timeOf(first)))
    const isOwnRead = ownReadsOf(hub)
    const bars = Array.from({ length: Math.ceil(minutes / bar_minutes) }, (_, place) => ({
      at: timeOf(first + place * bar_minutes),
      ...none(),
      ...NO_TIME,
    }))
    const total = none()
    let own_reads = 0
    for (const counted of found.rows) {
      if (await isOwnRead(counted)) own_reads += counted.calls
      else {
        const minute = Date.parse(`${counted.minute}:00Z`) / 60_000
        // A clock that was ahead has written of a time to come: it stands in the last bar.
        const bar = bars[Math.min(Math.floor((minute - first) / bar_minutes), bars.length - 1)]
        if (bar) addTo(bar, counted)
        total[counted.outcome] += counted.calls
      }
    }
    return {
      schema: 'knowtation.audit_histogram/v0' as const,
      vault_id,
      bar_seconds: bar_minutes * 60,
      bars: bars.map(({ records, spent_ms, slowest_ms, ...bar }) => ({
        ...bar,
        mean_ms: tenths(records === 0 ? 0 : spent_ms / records),
        slowest_ms: tenths(slowest_ms),
      })),
      total,
      own_reads,
      callers: found.callers,
      complete: found.complete,
    }
  },
})

const NO_TIME = { records: 0, spent_ms: 0, slowest_ms: 0 }

type Sums = ReturnType<typeof none> & typeof NO_TIME

function addTo(bar: Sums, { outcome, calls, records, spent_ms, slowest_ms }: MinuteCount): void {
  bar[outcome] += calls
  bar.records += records
  bar.spent_ms += spent_ms
  bar.slowest_ms = Math.max(bar.slowest_ms, slowest_ms)
}

function tenths(ms: number): number {
  return Math.round(ms * 10) / 10
}

function none() {
  return { allowed: 0, denied: 0, failed: 0 }
}

function timeOf(minute: number): string {
  return new Date(minute * 60_000).toISOString()
}
