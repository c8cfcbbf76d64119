import type { VaultPolicy } from '../../../platform/policy/vault-policy.ts'
import { allowedToolIds, declaredTools } from '../allowlist.ts'
import type { FlowBundle, FlowStep } from '../bundle/flow-record.ts'

/** What is left of an import after the vault's allowlist, and which tools were taken out. */
export interface Sandboxed {
  bundle: FlowBundle
  stripped: readonly string[]
}

/** Each stripped tool is told in a record of its own; a bundle with more of them is refused whole. */
const STRIPPED_LIMIT = 100

/**
 * Holds an import against the vault's own allowlist. A tool that is not listed refuses all of it, unless
 * the owner has explicitly chosen to have such references taken out.
 */
export function findSandboxed(bundle: FlowBundle, policy: VaultPolicy): Sandboxed | undefined {
  const allowed = allowedToolIds(policy)
  const stripped = declaredTools(bundle.steps).filter((id) => !allowed.has(id))
  if (stripped.length === 0) return { bundle, stripped }
  if (policy.external_agent?.import_policy !== 'strip_inert') return undefined
  if (stripped.length > STRIPPED_LIMIT) return undefined
  return {
    bundle: { flow: bundle.flow, steps: bundle.steps.map((step) => listedOnly(step, allowed)) },
    stripped,
  }
}

function listedOnly(step: FlowStep, allowed: Pick<ReadonlySet<string>, 'has'>): FlowStep {
  const isKept = ({ kind, id }: FlowStep['skill_refs'][number]) => kind !== 'external_tool' || allowed.has(id)
  return { ...step, skill_refs: step.skill_refs.filter(isKept) }
}
