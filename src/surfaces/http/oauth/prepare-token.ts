import { flowConsentGrant } from '../../../domains/flows/grants/consent-grant.ts'
import type { Hub } from '../../../operations/hub.ts'
import { runOperation } from '../../../operations/run-operation.ts'
import { mcpClientCaller } from '../../../platform/identity/caller.ts'
import { findStandingConsent, renewMcpConsent } from '../../../platform/identity/mcp/mcp-consents.ts'

/**
 * Makes ready what a new access token stands for: under a consent to a flow that is a new grant, with a record of its
 * own. It is minted with the owner's authority, who gave it for this consent, and never with the program's.
 */
export async function prepareToken(
  hub: Hub,
  consent_id: string,
  invalidGrant: (why: string) => Error,
): Promise<void> {
  const consent = await findStandingConsent(hub.db, consent_id, hub.system.now())
  if (!consent) throw invalidGrant('the consent is over')
  if (!consent.terms) {
    await hub.db.transaction((tx) =>
      renewMcpConsent(tx, { consent_id, grant_id: null, period_started_at: null }),
    )
    return
  }
  const caller = mcpClientCaller({ ...consent, kind: 'membership', role: 'admin' }, 'knowtation')
  const call = { operation: flowConsentGrant, surface: 'mcp', caller, address: 'local' } as const
  const answer = await runOperation(hub, { ...call, vault: consent.vault_id, input: { consent_id } })
  const minted = answer.ok && (JSON.parse(answer.text) as { grant_id: string | null }).grant_id !== null
  if (!minted) throw invalidGrant(answer.code ?? 'the consent is over')
}
