import { isAbsolute } from 'node:path'
import { z } from 'zod'
import { ownerSession } from '../../../operations/authority.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { activate } from './complete-intent.ts'
import { intentErrors, openIntentErrors, sourceErrors } from './intent-errors.ts'
import { IntentShape } from './intent-schemas.ts'
import { findIntentByCode } from './intent-store.ts'
import { readSettings } from './settings-form.ts'
import { draftId, openIntent, tryConnection } from './try-connection.ts'

const DeviceName = z
  .string()
  .trim()
  .min(1)
  .max(120)
  .regex(/^\P{Cc}*$/u)

/** The owner gives a local collector its folder, on the machine of the hub. The code counts once. */
export const ownerCollectorEnroll = defineOwnerOperation({
  name: 'owner_collector_enroll',
  summary: 'Enrol a collector on the machine of the hub, with the code of its intent.',
  effect: 'create',
  authority: ownerSession(),
  rest: 'POST /_ref/collectors/enroll',
  cli: 'collector enroll',
  errors: { ...openIntentErrors, ...sourceErrors, ...intentErrors.pick('enrollment_code_invalid') },
  spine: {
    event: 'owner_agent.connection.enroll',
    operation: 'enroll_collector',
    object: (_input, shown) => ({
      type: 'connection_intent',
      id: shown?.intent_id,
      connection_id: shown?.connection_id,
      connector_key: shown?.connector_key,
    }),
  },
  input: z.strictObject({
    code: z.string().max(128).describe('The code of the intent (begins with lde_)'),
    folder: z.string().max(4_096).refine(isAbsolute, 'must be a full path').describe('The folder to collect'),
    device_name: DeviceName.optional().describe('What the machine is called (default: its own name)'),
  }),
  output: IntentShape,
  present: async () => (await import('./present-intents.ts')).presentIntent,
  made: ({ connection_id }) => ({ kind: 'connection', id: connection_id ?? '-' }),
  async check(context) {
    const { input, hub, now, refuse } = context
    const intent = await findIntentByCode(hub.db, input.code)
    if (!intent) return refuse('enrollment_code_invalid')
    const open = await openIntent(hub, intent, now)
    const { manifest } = open.connector
    const field = manifest.settings.find(({ kind }) => kind === 'folder')
    if (!field) return refuse('intent_needs_other_step')
    const given = readSettings(manifest, { [field.name]: input.folder })
    const draft = { connection_id: draftId(hub, intent), ...given }
    await tryConnection(context, open, draft)
    return { intent, manifest, draft, device_name: input.device_name }
  },
  handle: (context, tried) => activate(context, tried),
})
