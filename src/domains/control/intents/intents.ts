import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { intentErrors } from './intent-errors.ts'
import { IntentId, IntentShape } from './intent-schemas.ts'
import { endIntent, findIntent, type IntentRow, listIntents } from './intent-store.ts'
import { showIntent, shownState } from './show-intent.ts'

const PAGE_LIMIT = 100
const CURSOR = /^(\d{4}-[\d:.TZ-]{19})\.(cint_[0-9a-f]{16})$/

export const OwnerIntentListOutput = z.strictObject({
  object: z.literal('list'),
  data: z.array(IntentShape),
  next_cursor: z.string().nullable(),
})

export const ownerIntentList = defineOwnerOperation({
  name: 'owner_intent_list',
  summary: 'List the connections that were begun, newest first.',
  effect: 'read',
  authority: ownerSurface(),
  whileLocked: true,
  rest: 'GET /v1/owner/connections/intents',
  cli: 'owner intent list',
  errors: {},
  input: z.strictObject({
    limit: z.int().min(1).max(PAGE_LIMIT).default(50).describe('How many at most'),
    cursor: z.string().regex(CURSOR).optional().describe('Where the last page ended'),
  }),
  output: OwnerIntentListOutput,
  present: async () => (await import('./present-intents.ts')).presentIntents,
  async handle({ input: { limit, cursor }, db, hub, now }) {
    const [, created_at = '', intent_id = ''] = CURSOR.exec(cursor ?? '') ?? []
    const after = cursor === undefined ? undefined : { created_at, intent_id }
    const found = await listIntents(db, after, limit + 1)
    const rows = found.slice(0, limit)
    const data = await Promise.all(rows.map((row) => showIntent(hub, db, row, now)))
    const last = found.length > limit ? rows.at(-1) : undefined
    return { object: 'list' as const, data, next_cursor: last ? cursorOf(last) : null }
  },
})

function cursorOf({ created_at, intent_id }: IntentRow): string {
  return `${created_at}.${intent_id}`
}

const input = z.strictObject({ intent_id: IntentId })

export const ownerIntentShow = defineOwnerOperation({
  name: 'owner_intent_show',
  summary: 'Show how far a connection has come that was begun, and the step that it waits for.',
  effect: 'read',
  authority: ownerSurface(),
  whileLocked: true,
  rest: 'GET /v1/owner/connections/intents/{intent_id}',
  cli: 'owner intent show <intent_id>',
  errors: intentErrors.pick('intent_not_found'),
  target: ({ intent_id }) => ({ kind: 'connection_intent', id: intent_id }),
  input,
  output: IntentShape,
  present: async () => (await import('./present-intents.ts')).presentIntent,
  async handle({ input: { intent_id }, db, hub, now, refuse }) {
    const row = await findIntent(db, intent_id)
    return row ? showIntent(hub, db, row, now) : refuse('intent_not_found')
  },
})

export const ownerIntentCancel = defineOwnerOperation({
  name: 'owner_intent_cancel',
  summary: 'Cancel a connection that was begun. Its codes and states count no more.',
  effect: 'update',
  authority: ownerSurface(),
  whileLocked: true,
  rest: 'POST /v1/owner/connections/intents/{intent_id}/cancel',
  cli: 'owner intent cancel <intent_id>',
  errors: intentErrors.pick('intent_not_found', 'intent_ended', 'intent_expired'),
  target: ({ intent_id }) => ({ kind: 'connection_intent', id: intent_id }),
  spine: {
    event: 'owner_agent.connection.cancel_intent',
    operation: 'cancel_intent',
    object: ({ intent_id }) => ({ type: 'connection_intent', id: intent_id }),
  },
  input,
  output: IntentShape,
  present: async () => (await import('./present-intents.ts')).presentIntent,
  async handle({ input: { intent_id }, db, hub, now, refuse }) {
    const row = await findIntent(db, intent_id)
    if (!row) return refuse('intent_not_found')
    if (shownState(row, now) === 'expired') return refuse('intent_expired')
    if (!(await endIntent(db, intent_id, { state: 'cancelled', connection_id: null }, now)))
      return refuse('intent_ended')
    return showIntent(hub, db, (await findIntent(db, intent_id)) as IntentRow, now)
  },
})
