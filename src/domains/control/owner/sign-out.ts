import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import {
  endAllOwnerSessions,
  endOwnerSession,
  listOwnerSessions,
} from '../../../platform/identity/owner-sessions.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { SessionShape } from './owner-schemas.ts'

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

/** Ends every session, wherever it is: it counts from the next request. */
export const ownerSignOutEverywhere = defineOwnerOperation({
  name: 'owner_sign_out_everywhere',
  summary: 'End every session of the owner, on every machine.',
  effect: 'delete',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'DELETE /v1/owner/sessions',
  cli: 'owner sign-out',
  errors: {},
  input: z.strictObject({}),
  output: z.strictObject({ object: z.literal('owner_sign_out'), ended_sessions: z.int() }),
  async handle({ db, now }) {
    return { object: 'owner_sign_out' as const, ended_sessions: await endAllOwnerSessions(db, now) }
  },
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
  output: z.strictObject({
    object: z.literal('list'),
    data: z.array(SessionShape.extend({ current: z.boolean() })),
  }),
  async handle({ caller, db, now }) {
    const sessions = await listOwnerSessions(db, now, LIST_LIMIT)
    const data = sessions.map((session) => ({ ...session, current: session.session_id === caller.id }))
    return { object: 'list' as const, data }
  },
})
