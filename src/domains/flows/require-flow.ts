import type { Context } from '../../operations/define-operation.ts'
import { isVersion } from './bundle/semver.ts'
import { findFlowDocument } from './flow-store.ts'
import { ensureStarterFlows } from './starter-flows.ts'
import { requireVisibleScopes } from './visibility.ts'

type Asking = Context<
  { flow_id: string; version?: string | undefined },
  'unknown_flow' | 'FLOW_SCOPE_AMBIGUOUS',
  'read'
>

/** The stored document of the flow that the input names, or one refusal for missing and invisible alike. */
export async function requireFlowDocument(context: Asking, kind: 'get' | 'bundle'): Promise<string> {
  const { input, vault_id, hub, db, refuse } = context
  if (input.version !== undefined && !isVersion(input.version)) {
    refuse('BAD_REQUEST', 'version does not have the required form.')
  }
  const scopes = requireVisibleScopes(context)
  await ensureStarterFlows(hub, vault_id)
  const where = { vault_id, flow_id: input.flow_id, scopes, version: input.version }
  return (await findFlowDocument(db, kind, where)) ?? refuse('unknown_flow')
}
