import { revokeTokens } from '../../connections/oauth-tokens.ts'
import type { Collector } from '../connector.ts'

/** What the policy's providers get tokens from. Nothing is collected: a run only sees whether there is a token. */
export const toolProviderCollector: Collector = {
  async probe(source) {
    await source.secret('access_token')
    return { display_name: new URL(source.settings.url ?? '').hostname }
  },
  async *collect(source) {
    await source.secret('access_token')
    yield* []
  },
  revoke: revokeTokens,
}
