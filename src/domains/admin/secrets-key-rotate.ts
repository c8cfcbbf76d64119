import { z } from 'zod'
import { hubOwner } from '../../operations/authority.ts'
import { ActOutside, defineOperation } from '../../operations/define-operation.ts'
import { findKeyToCome, finishExchange, sealAnew } from '../../platform/secrets/exchange-key.ts'
import { isSealFault } from '../../platform/secrets/sealed-secrets.ts'
import { adminErrors } from './admin-errors.ts'

export const SecretsKeyRotateOutput = z.strictObject({
  schema: z.literal('knowtation.secrets_key_rotate/v0'),
  key_id: z.string().describe('Tells the new key apart from others without revealing it'),
  resealed: z
    .int()
    .describe('How many secrets were sealed anew; none where only the end of an exchange was left'),
  source: z.string().describe('Where the key is now'),
})

export const secretsKeyRotate = defineOperation({
  name: 'secrets_key_rotate',
  summary: 'Seal all credentials anew with a new secrets key, which takes the place of the old one.',
  effect: 'update',
  authority: hubOwner(),
  whileLocked: true,
  cli: 'secrets rotate',
  errors: adminErrors.pick('nothing_sealed', 'secrets_key_unusable'),
  input: z.strictObject({}),
  output: SecretsKeyRotateOutput,
  present: async () => (await import('./present-keys.ts')).presentNewSecretsKey,
  async check({ hub, db, refuse }) {
    const next = await findKeyToCome(db, hub).catch((error: Error) => refuseFault(error, refuse))
    return next ?? refuse('nothing_sealed')
  },
  async handle({ db, hub, refuse }, next) {
    const resealed = await sealAnew(db, hub, next).catch((error: Error) => refuseFault(error, refuse))
    return new ActOutside(async () => ({
      schema: 'knowtation.secrets_key_rotate/v0' as const,
      key_id: next.key_id,
      resealed,
      source: await finishExchange(hub.db, hub, next),
    }))
  },
})

/** What is wrong with a key, or with what it should open, is for the owner to know and to mend. */
function refuseFault(error: Error, refuse: (code: 'secrets_key_unusable', reason: string) => never): never {
  if (isSealFault(error)) return refuse('secrets_key_unusable', error.message)
  throw error
}
