import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { isOwner, vaultMember } from '../../operations/authority.ts'
import { defineOperation } from '../../operations/define-operation.ts'
import { limitInput } from '../../operations/page-cursor.ts'
import { Labels, labelled, ownersLabels } from '../../operations/present/labels.ts'
import { NO_VAULT } from '../../platform/audit/audit-record.ts'
import { type AuditPage, listAudit } from '../../platform/audit/read-audit.ts'
import { withEventData } from '../../platform/audit/sealed-events.ts'
import { ownReadsOf } from './own-reads.ts'

const DEFAULT_LIMIT = 50
const MAX_LIMIT = 200
const MAX_WAIT_SECONDS = 30
const LOOK_EVERY_MS = 500

/** A record of the audit log, in its place in the chain. */
const AuditRecordWire = z
  .strictObject({
    seq: z.int(),
    at: z.string(),
    vault_id: z.string(),
    surface: z.string(),
    caller_kind: z.string(),
    caller_id: z.string(),
    client: z.string(),
    operation: z.string(),
    target_kind: z.string().nullable(),
    target_id: z.string().nullable(),
    outcome: z.enum(['allowed', 'denied', 'failed']),
    code: z.string().nullable(),
    duration_us: z.int(),
    policy_revision: z.string(),
    repeats: z.int(),
    grant_id: z.string().nullable().describe('The grant that a tool was called with'),
    flow_id: z.string().nullable().describe('The flow of that grant'),
    flow_version: z.string().nullable(),
    seat_id: z.string().nullable().describe('The seat of the toolbox that the call came from'),
    request_id: z.string().nullable().describe('What the caller was told the call is known by'),
    hash: z.string(),
    data: z
      .looseObject({})
      .optional()
      .describe('What the event tells that the record seals; to the owner alone'),
  })
  .meta({ id: 'AuditRecord' })

export const AuditListOutput = z.strictObject({
  schema: z.literal('knowtation.audit_list/v0'),
  vault_id: z.string(),
  records: z.array(AuditRecordWire),
  next_before_seq: z.int().nullable(),
  labels: Labels.optional(),
})

const id = (what: string) => z.string().min(1).max(512).optional().describe(what)
const moment = (what: string) =>
  z.iso
    .datetime({ offset: true })
    .transform((text) => new Date(text).toISOString())
    .optional()
    .describe(`${what}, such as 2026-01-31T12:00:00Z`)

export const auditList = defineOperation({
  name: 'audit_list',
  summary: "Read this vault's audit log, newest first.",
  effect: 'read',
  authority: vaultMember('admin'),
  whileLocked: true,
  rest: 'GET /api/v1/audit',
  cli: 'audit list',
  errors: {},
  input: z.strictObject({
    operation: z.string().max(64).optional().describe('Only calls of this operation'),
    outcome: z.enum(['allowed', 'denied', 'failed']).optional().describe('Only calls that ended so'),
    called_by: id('Only calls of this caller, by its id'),
    grant: id('Only calls with this grant, and what was done to it'),
    flow: id('Only calls with a grant of this flow, and what was done to it'),
    tool: id('Only calls of this tool'),
    target: id('Only what was done to the thing with this id'),
    request_id: id('Only the call that its caller knows by this id'),
    outside_vaults: z
      .boolean()
      .optional()
      .describe('Only what belongs to no vault: sign-ins, strangers, what the hub did; for the owner'),
    hide_own_reads: z.boolean().optional().describe('Leave out what the owner has only looked at'),
    since: moment('Only records of this moment or later'),
    until: moment('Only records before this moment'),
    after_seq: z.int().nonnegative().optional().describe('Only records after this number'),
    wait_seconds: z
      .int()
      .min(0)
      .max(MAX_WAIT_SECONDS)
      .optional()
      .describe('Where there is nothing yet, wait so long for it'),
    before_seq: z.int().positive().optional().describe('Only records before this number'),
    limit: limitInput(MAX_LIMIT, DEFAULT_LIMIT),
  }),
  output: AuditListOutput,
  present: async () => (await import('./present-hub.ts')).presentAuditList,
  waits: true,
  async handle({ input, vault_id: vault, db, hub, caller, signal, refuse }) {
    const { limit = DEFAULT_LIMIT, wait_seconds = 0, called_by, hide_own_reads, ...more } = input
    const { outside_vaults = false, ...filter } = more
    if (outside_vaults && !isOwner(caller)) refuse('FORBIDDEN')
    const vault_id = outside_vaults ? NO_VAULT : vault
    const isHidden = hide_own_reads ? ownReadsOf(hub) : undefined
    const wanted = { ...filter, caller: called_by, vault_id, limit, isHidden }
    const list = () => hub.longLooks.run(() => listAudit(db, wanted))
    const { records, next_before_seq } = await lookUntil(list, wait_seconds * 1_000, signal)
    const shown = isOwner(caller) ? await withEventData(db, records) : records
    const ids = records.flatMap((one) => [one.caller_id, one.grant_id, one.seat_id, one.target_id])
    const labels = await ownersLabels({ db, vault_id, caller }, ids)
    return {
      schema: 'knowtation.audit_list/v0' as const,
      vault_id,
      records: shown,
      next_before_seq,
      ...labelled(labels),
    }
  },
})

/** Looks again and again until there is something, the time is over, or nobody waits any more. */
async function lookUntil(
  list: () => Promise<AuditPage>,
  wait_ms: number,
  signal: AbortSignal,
): Promise<AuditPage> {
  const until = performance.now() + wait_ms
  for (;;) {
    const page = await list()
    if (page.records.length > 0 || performance.now() >= until || signal.aborted) return page
    await pause(LOOK_EVERY_MS, undefined, { signal }).catch(() => {})
  }
}
