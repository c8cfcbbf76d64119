import { z } from 'zod'
import { hubOwner } from '../../operations/authority.ts'
import { ActOutside, defineOperation } from '../../operations/define-operation.ts'
import { replaceHubToken } from '../../platform/identity/hub-token.ts'

export const HubTokenRotateOutput = z.strictObject({
  schema: z.literal('knowtation.hub_token_rotate/v0'),
  path: z.string().describe('The file that holds the new token'),
})

export const hubTokenRotate = defineOperation({
  name: 'hub_token_rotate',
  summary:
    'Make a new hub token. The old one counts no more from the next call on, also for a hub that runs.',
  effect: 'update',
  authority: hubOwner(),
  outward: true,
  whileLocked: true,
  cli: 'token rotate-hub',
  errors: {},
  input: z.strictObject({}),
  output: HubTokenRotateOutput,
  present: async () => (await import('./present-keys.ts')).presentNewHubToken,
  async handle({ hub }) {
    return new ActOutside(async () => {
      replaceHubToken(hub.home, hub.system)
      return { schema: 'knowtation.hub_token_rotate/v0' as const, path: hub.home.hubToken }
    })
  },
})
