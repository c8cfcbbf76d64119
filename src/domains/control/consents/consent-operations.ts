import { z } from 'zod'
import { anyVisitor, ownerSurface } from '../../../operations/authority.ts'
import { ownersLabels } from '../../../operations/present/labels.ts'
import {
  endMcpConsent,
  findMcpConsent,
  listMcpConsents,
} from '../../../platform/identity/mcp/mcp-consents.ts'
import { findOauthRecord } from '../../../platform/identity/mcp/oauth-records.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { ConsentId, ConsentShape, consentErrors, showConsent } from './consent-shapes.ts'

const LIST_LIMIT = 200
const errors = consentErrors.pick('unknown_consent')
const OneConsent = z.strictObject({
  consent_id: ConsentId.describe('The id of the consent, as the list shows it'),
})

export const ConsentListOutput = z.strictObject({
  object: z.literal('list'),
  data: z.array(ConsentShape),
  truncated: z.boolean(),
})

const ownerConsentList = defineOwnerOperation({
  name: 'owner_consent_list',
  summary: 'List what the owner has allowed programs at MCP, newest first.',
  effect: 'read',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'GET /v1/owner/consents',
  cli: 'consent list',
  errors: {},
  input: z.strictObject({}),
  output: ConsentListOutput,
  present: async () => (await import('./present-consents.ts')).presentConsents,
  async handle({ db, now, vault_id, caller }) {
    const found = await listMcpConsents(db, LIST_LIMIT + 1)
    const ids = found.map(({ consent_id }) => consent_id)
    const labels = await ownersLabels({ db, vault_id, caller }, ids)
    const data = found.slice(0, LIST_LIMIT).map((consent) => {
      const shown = showConsent(consent, now)
      return { ...shown, label: labels[shown.consent_id] ?? shown.label }
    })
    return { object: 'list' as const, data, truncated: found.length > LIST_LIMIT }
  },
})

const ownerConsentShow = defineOwnerOperation({
  name: 'owner_consent_show',
  summary: 'Show one consent: who asked, what it allows, until when, how often it was renewed.',
  effect: 'read',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'GET /v1/owner/consents/{consent_id}',
  cli: 'consent show <consent_id>',
  errors,
  target: ({ consent_id }) => ({ kind: 'consent', id: consent_id }),
  input: OneConsent,
  output: ConsentShape,
  async handle({ input, db, now, refuse }) {
    const consent = await findMcpConsent(db, input.consent_id)
    return consent ? showConsent(consent, now) : refuse('unknown_consent')
  },
})

const ownerConsentRevoke = defineOwnerOperation({
  name: 'owner_consent_revoke',
  summary: 'Revoke a consent: its next call is refused everywhere, and what is under way is stopped.',
  effect: 'delete',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'DELETE /v1/owner/consents/{consent_id}',
  cli: 'consent revoke <consent_id>',
  errors,
  target: ({ consent_id }) => ({ kind: 'consent', id: consent_id }),
  input: OneConsent,
  output: ConsentShape,
  async handle({ input, db, now, refuse }) {
    await endMcpConsent(db, input.consent_id, 'revoked', now)
    const consent = await findMcpConsent(db, input.consent_id)
    return consent ? showConsent(consent, now) : refuse('unknown_consent')
  },
})

export const consentOperations = [ownerConsentList, ownerConsentShow, ownerConsentRevoke]

/** Whoever holds a token for MCP may give it back (RFC 7009); what was allowed ends with it. */
export const mcpTokenRevoke = defineOwnerOperation({
  name: 'mcp_token_revoke',
  summary: 'Give a token for MCP back.',
  effect: 'delete',
  authority: anyVisitor(),
  whileLocked: true,
  rest: 'POST /oauth/revoke',
  errors,
  input: z.strictObject({
    token: z.string().min(1).max(8_192),
    token_type_hint: z.string().max(64).optional(),
  }),
  output: z.strictObject({ consent_id: z.string() }),
  made: ({ consent_id }) => ({ kind: 'consent', id: consent_id }),
  async handle({ input: { token }, db, now, refuse }) {
    const found =
      (await findOauthRecord(db, 'AccessToken', token, now)) ??
      (await findOauthRecord(db, 'RefreshToken', token, now))
    if (!found?.consent_id || !(await endMcpConsent(db, found.consent_id, 'given_back', now)))
      return refuse('unknown_consent')
    return { consent_id: found.consent_id }
  },
})
