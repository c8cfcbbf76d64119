import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { VAULT_ID } from '../../../platform/basics/home.ts'
import { ROLES } from '../../../platform/identity/caller.ts'
import { keepConsentWish } from '../../../platform/identity/mcp/consent-wish.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'

/** Lifetimes of grants under a consent, as its page offers them. */
export const WISH_TTL = { least: 60, most: 3_600 } as const

/** Only `connect` calls it. Nothing is allowed by it: the owner decides on the page, which comes with this ticked. */
export const ownerConsentWish = defineOwnerOperation({
  name: 'owner_consent_wish',
  summary: 'Say what the page of the next consent is to come with ticked.',
  effect: 'update',
  authority: ownerSurface({ session_only: true }),
  cli: 'connect',
  errors: {},
  input: z.strictObject({
    client: z.string().max(64),
    vault_id: z.string().regex(VAULT_ID),
    role: z.enum(ROLES).optional(),
    flow_id: z.string().max(200).optional(),
    tools: z.array(z.string().max(200)).max(100).optional(),
    ttl_seconds: z.int().min(WISH_TTL.least).max(WISH_TTL.most).optional(),
    for_seconds: z.int().min(1).max(3_600),
  }),
  output: z.strictObject({ until: z.string() }),
  async handle({ input: { for_seconds, ...wish }, db, now }) {
    const until = new Date(now.getTime() + for_seconds * 1_000).toISOString()
    await keepConsentWish(db, { ...wish, asked_at: now.toISOString(), until })
    return { until }
  },
})
