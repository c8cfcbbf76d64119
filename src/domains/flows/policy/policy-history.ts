import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { defineSurfaceOperation } from '../../../operations/define-surface-operation.ts'
import type { Hub } from '../../../operations/hub.ts'
import { readPolicy } from '../../../operations/policy/change-policy.ts'
import { policyChangeErrors } from '../../../operations/policy/policy-change-errors.ts'
import { placeOf } from '../../../platform/policy-edits/notice-edits.ts'
import { revisionOfFile } from '../../../platform/policy-edits/revision-name.ts'
import { listRevisions, type PolicyRevision } from '../../../platform/policy-edits/revision-store.ts'

const PAGE_LIMIT = 500

export const RevisionShape = z.strictObject({
  number: z.int(),
  revision: z.string(),
  digest: z.string(),
  base_revision: z.string().nullable(),
  at: z.string(),
  changed_by: z.string(),
  origin: z.enum(['operation', 'hand', 'found']).describe('found: as it was when the hub first looked'),
  operation: z.string().nullable(),
  reason: z.string().nullable(),
  state: z
    .enum(['announced', 'kept', 'refused', 'displaced'])
    .describe('kept: it counted; displaced: saved by hand while another was put in place'),
  bytes: z.int(),
  here: z.boolean().describe("Whether it is of this home's file: several homes may share a database"),
})

export function showRevision(hub: Hub, one: PolicyRevision): z.output<typeof RevisionShape> {
  const { revision_id: _, place, vault_id: _v, ...shown } = one
  return { ...shown, here: place === placeOf(hub) }
}

export const HistoryOutput = z.strictObject({
  object: z.literal('list'),
  path: z.string(),
  revision: z.string().describe('What the file says now'),
  data: z.array(RevisionShape),
  truncated: z.boolean(),
})

export const policyHistory = defineSurfaceOperation({
  name: 'owner_policy_history',
  summary: 'List what the policy of the vault has said: when it was changed, by whom and why, newest first.',
  effect: 'read',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'GET /v1/owner/policy/history',
  cli: 'policy history',
  errors: policyChangeErrors.pick('policy_damaged'),
  input: z.strictObject({ limit: z.int().min(1).max(PAGE_LIMIT).default(50).describe('At most so many') }),
  output: HistoryOutput,
  present: async () => (await import('./present-policy.ts')).presentHistory,
  async handle({ input: { limit }, hub, vault_id, db }) {
    const file = await readPolicy(hub, vault_id)
    const found = await listRevisions(db, placeOf(hub), vault_id, limit + 1)
    const data = found.slice(0, limit).map((one) => showRevision(hub, one))
    const path = hub.home.vaultPolicy(vault_id)
    const truncated = found.length > limit
    return { object: 'list' as const, path, revision: revisionOfFile(file), data, truncated }
  },
})
