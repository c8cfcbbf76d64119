import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { findOwner } from '../../../platform/identity/owner-account.ts'
import { createLink } from '../../../platform/identity/owner-links.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { ownerAddress } from './hub-address.ts'

export const OwnerLinkCreateOutput = z.strictObject({
  object: z.literal('owner_sign_in_link'),
  link_id: z.string(),
  purpose: z.enum(['set_up', 'sign_in']),
  url: z.url(),
  expires_at: z.string(),
})

/** `knowtation owner login`: whoever has the hub's files may sign in as its owner. */
export const ownerLinkCreate = defineOwnerOperation({
  name: 'owner_link_create',
  opens: true,
  summary: 'Make a one-time link with which the owner signs in, or sets the account up.',
  effect: 'create',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'POST /v1/owner/links',
  cli: 'owner login',
  errors: {},
  input: z.strictObject({}),
  output: OwnerLinkCreateOutput,
  present: async () => (await import('./present-owner.ts')).presentOwnerLink,
  made: ({ link_id }) => ({ kind: 'owner_link', id: link_id }),
  async handle({ caller, db, hub, refuse }) {
    // A session that could make links could prolong itself without end.
    if (caller.kind === 'owner_session') return refuse('permission_error')
    const { secret, ...link } = await createLink(db, hub.system, `${caller.kind}:${caller.id}`)
    const purpose: 'set_up' | 'sign_in' = (await findOwner(db)) ? 'sign_in' : 'set_up'
    const url = `${await ownerAddress(db, hub)}/owner/link?link=${secret}`
    return { object: 'owner_sign_in_link' as const, ...link, purpose, url }
  },
})
