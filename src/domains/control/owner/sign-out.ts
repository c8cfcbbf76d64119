import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { endOwnerSession, listOwnerSessions } from '../../../platform/identity/owner-sessions.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { identityErrors, SessionShape } from './owner-schemas.ts'
import { Current, checkProven } from './prove.ts'
import { ALSO, Thrown, throwOut } from './recovery.ts'

const LIST_LIMIT = 100

/** Ends the session that asks. */
export const ownerSignOut = defineOwnerOperation({
  name: 'owner_sign_out',
  summary: "End the owner's session that asks for it.",
  effect: 'delete',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'DELETE /owner/sign-out',
  errors: {},
  input: z.strictObject({}),
  output: z.strictObject({ object: z.literal('owner_sign_out'), ended_sessions: z.int() }),
  async handle({ caller, db, now }) {
    const ended = await endOwnerSession(db, caller.id, now)
    return { object: 'owner_sign_out' as const, ended_sessions: ended ? 1 : 0 }
  },
})

/** Ends every session and open link, wherever it is: it counts from the next request. */
export const ownerSignOutEverywhere = defineOwnerOperation({
  name: 'owner_sign_out_everywhere',
  summary:
    'End every session and open sign-in link of the owner; passkeys, agents and tokens too, if you say so.',
  effect: 'delete',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'DELETE /v1/owner/sessions',
  cli: 'owner sign-out',
  errors: identityErrors.pick('sign_in_again', 'invalid_credentials'),
  input: z.strictObject({ ...ALSO, current: Current }),
  output: z.strictObject({ object: z.literal('owner_sign_out'), ...Thrown }),
  // Sessions anybody may end who has one. What else proves the owner goes only where the owner has just been proven.
  async check(context) {
    const { current, ...also } = context.input
    return Object.values(also).includes(true)
      ? checkProven(context, current, context.refuse)
      : { by_password: false }
  },
  async handle({ input, db, now }) {
    return { object: 'owner_sign_out' as const, ...(await throwOut(db, input, now)) }
  },
})

export const OwnerSessionListOutput = z.strictObject({
  object: z.literal('list'),
  data: z.array(SessionShape.extend({ current: z.boolean() })),
})

export const ownerSessionList = defineOwnerOperation({
  name: 'owner_session_list',
  summary: 'List the live sessions of the owner, newest first.',
  effect: 'read',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'GET /v1/owner/sessions',
  cli: 'owner session list',
  errors: {},
  input: z.strictObject({}),
  output: OwnerSessionListOutput,
  present: async () => (await import('./present-owner.ts')).presentOwnerSessions,
  async handle({ caller, db, now }) {
    const sessions = await listOwnerSessions(db, now, LIST_LIMIT)
    const data = sessions.map((session) => ({ ...session, current: session.session_id === caller.id }))
    return { object: 'list' as const, data }
  },
})
