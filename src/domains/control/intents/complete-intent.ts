import { z } from 'zod'
import { ownerSession } from '../../../operations/authority.ts'
import type { Context } from '../../../operations/define-operation.ts'
import { OwnerRefusal } from '../../../operations/owner-contract.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { activateConnection, type TriedConnection } from './activate-connection.ts'
import { finishAuthorization, giveBack } from './finish-authorization.ts'
import { intentErrors, openIntentErrors, sourceErrors } from './intent-errors.ts'
import { IntentId, IntentShape, type ShownIntent, Values } from './intent-schemas.ts'
import { readCallback } from './pending-authorization.ts'
import { readSettings } from './settings-form.ts'
import { showIntent } from './show-intent.ts'
import { draftId, requireOpenIntent, type StepContext, tryConnection } from './try-connection.ts'

const CallbackUrl = z.string().max(8_192).describe('Where the provider sent the browser: the whole address')
const errors = { ...openIntentErrors, ...sourceErrors, ...intentErrors.pick('oauth_state_invalid') }

/** What the events of both ways to complete an intent tell. */
const spine = {
  event: 'owner_agent.connection.complete' as const,
  operation: 'complete_connection',
  object: ({ intent_id }: { intent_id?: string | undefined }, shown?: ShownIntent) => ({
    type: 'connection_intent',
    id: shown?.intent_id ?? intent_id,
    connection_id: shown?.connection_id,
    connector_key: shown?.connector_key,
  }),
}

/** What the owner filled in, tried at the source. */
async function fillInIntent(
  context: StepContext,
  intent_id: string,
  values: Readonly<Record<string, string>>,
): Promise<TriedConnection> {
  const { hub, now } = context
  const open = await requireOpenIntent(hub, intent_id, now)
  const { manifest } = open.connector
  // Where a provider decides, nothing that the owner types takes its place.
  if (manifest.oauth) throw new OwnerRefusal('intent_needs_other_step', 'The provider has to be asked first.')
  const draft = { connection_id: draftId(hub, open.intent), ...readSettings(manifest, values) }
  await tryConnection(context, open, draft)
  return { intent: open.intent, manifest, draft }
}

/** Makes the connection, or gives back what was got for it. */
export async function activate(
  { db, hub, now }: Pick<Context<never, never, 'update'>, 'db' | 'hub' | 'now'>,
  tried: TriedConnection,
): Promise<ShownIntent> {
  try {
    return await showIntent(hub, db, await activateConnection(db, hub, tried, now), now)
  } catch (error) {
    // Nothing outside the store may be waited for in here.
    if (error instanceof OwnerRefusal) setImmediate(() => void giveBack(hub, tried.draft))
    throw error
  }
}

/** The owner completes an intent: by filling in what the connector asks for, or with the provider's answer. */
export const ownerIntentComplete = defineOwnerOperation({
  name: 'owner_intent_complete',
  summary: 'Complete an intent as the owner: the source is asked once, and the connection becomes active.',
  effect: 'update',
  authority: ownerSession(),
  rest: 'POST /_ref/intents/{intent_id}/complete',
  cli: 'owner intent complete <intent_id>',
  errors,
  takesFile: true,
  target: ({ intent_id }) => ({ kind: 'connection_intent', id: intent_id }),
  spine,
  input: z.strictObject({
    intent_id: IntentId,
    values: Values.default({}).describe('What the connector asks for, by name'),
    callback_url: CallbackUrl.optional(),
  }),
  output: IntentShape,
  present: async () => (await import('./present-intents.ts')).presentIntent,
  async check(context) {
    const { input, hub, caller, now } = context
    const { intent_id, values, callback_url } = input
    if (callback_url === undefined) return fillInIntent(context, intent_id, values)
    await requireOpenIntent(hub, intent_id, now)
    return finishAuthorization(context, readCallback(callback_url, intent_id, caller))
  },
  handle: (context, tried) => activate(context, tried),
})

/** The provider has sent the owner's browser back. The state says which intent it belongs to. */
export const ownerAuthorizationFinish = defineOwnerOperation({
  name: 'owner_authorization_finish',
  summary: "Complete the intent that a provider's answer belongs to.",
  effect: 'update',
  authority: ownerSession(),
  rest: 'POST /_ref/intents/callback',
  errors,
  made: ({ intent_id }) => ({ kind: 'connection_intent', id: intent_id }),
  spine: { ...spine, object: (_input, shown) => spine.object({}, shown) },
  input: z.strictObject({ callback_url: CallbackUrl }),
  output: IntentShape,
  check: (context) =>
    finishAuthorization(context, readCallback(context.input.callback_url, undefined, context.caller)),
  handle: (context, tried) => activate(context, tried),
})
