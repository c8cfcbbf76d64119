import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { NO_VAULT } from '../../../platform/audit/audit-record.ts'
import { ROLES } from '../../../platform/identity/caller.ts'
import { forgetConsentWish } from '../../../platform/identity/mcp/consent-wish.ts'
import { createMcpConsent, STANDING_SECONDS_MAX } from '../../../platform/identity/mcp/mcp-consents.ts'
import { prolongOauthRecord, useOauthRecord } from '../../../platform/identity/mcp/oauth-records.ts'
import { useForConsent } from '../../../platform/identity/owner-device-grants.ts'
import { setLabel } from '../../../platform/labels/label-store.ts'
import type { Transaction } from '../../../platform/storage/database.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { ConsentBounds, ConsentShape, consentErrors, showConsent } from './consent-shapes.ts'

/** Programs are swept a day after what they were allowed is over. */
const CLIENT_KEPT_MS = 86_400_000

/** What waits for the owner's word: a request of a browser, or a code of a program without one. */
export const RequestId = z.union([
  z.strictObject({ request: z.string().min(16).max(64) }),
  z.strictObject({ device_grant_id: z.string().max(64) }),
])
export type RequestId = z.output<typeof RequestId>

const errors = consentErrors.pick('request_over', 'consent_changed')
const Words = z.string().max(200)
const Terms = z.strictObject({
  flow_id: z.string(),
  flow_version: z.string(),
  tools: z.array(z.string()).min(1).max(100),
  tools_digest: z.string(),
  ttl_seconds: z.int().min(60).max(3_600),
  max_invocations: z.int().min(0).max(1_000_000_000),
  bounds: ConsentBounds.optional(),
})

/** Only the consent page calls it: what stands in it of the program comes from the request that waits. */
export const ownerConsentDecide = defineOwnerOperation({
  name: 'owner_consent_decide',
  summary: 'Allow a program at MCP what the owner has chosen.',
  effect: 'create',
  opens: true,
  authority: ownerSurface({ session_only: true }),
  rest: 'POST /v1/owner/consents',
  errors,
  input: z.strictObject({
    waiting: RequestId,
    client_id: z.string().max(2_048),
    client_name: Words,
    client_address: z.string().max(2_048),
    label: z.string().trim().min(1).max(64),
    role: z.enum(ROLES),
    terms: Terms.optional(),
    vault: z.string(),
    standing_seconds: z.int().min(60).max(STANDING_SECONDS_MAX),
  }),
  output: ConsentShape,
  made: ({ consent_id }) => ({ kind: 'consent', id: consent_id }),
  async handle({ input, db, hub, now, caller, refuse }) {
    const { waiting, vault: vault_id, terms, ...wanted } = input
    const kind = terms ? 'grant' : 'membership'
    const decided_by = `${caller.kind}:${caller.id}`
    const consent = await createMcpConsent(db, hub.system, { ...wanted, vault_id, kind, terms, decided_by })
    if (!(await takeWaiting(db, waiting, now, consent.consent_id))) return refuse('request_over')
    const { consent_id: subject_id, label, created_at: named_at } = consent
    await setLabel(db, { subject_id, vault_id: NO_VAULT, label, named_at, named_by: decided_by })
    const kept_until = new Date(Date.parse(consent.standing_until) + CLIENT_KEPT_MS).toISOString()
    await prolongOauthRecord(db, 'Client', input.client_id, kept_until)
    await forgetConsentWish(db)
    return showConsent(consent, now)
  },
})

/** The owner's no: the program is told, and given nothing. */
export const ownerConsentDeny = defineOwnerOperation({
  name: 'owner_consent_deny',
  summary: 'Send a program away that asks to come in at MCP.',
  effect: 'update',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'POST /v1/owner/consents',
  errors,
  input: z.strictObject({ waiting: RequestId }),
  output: z.strictObject({}),
  async handle({ input, db, now, refuse }) {
    return (await takeWaiting(db, input.waiting, now, undefined)) ? {} : refuse('request_over')
  },
})

/** Decided once: of two pages that decide at the same time one comes too late. */
function takeWaiting(
  tx: Transaction,
  waiting: RequestId,
  now: Date,
  consent_id: string | undefined,
): Promise<boolean> {
  return 'request' in waiting
    ? useOauthRecord(tx, 'Interaction', waiting.request, now)
    : useForConsent(tx, waiting.device_grant_id, consent_id, now)
}
