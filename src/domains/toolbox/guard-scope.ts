import type { GuardScope } from '../../platform/guard/guard.ts'
import type { ProjectPolicy } from './policy/project-policy.ts'
import type { ToolContext } from './tool-context.ts'

/** What a product owner reads: documents and plans, nothing else of a service. */
const DOCUMENT_FOLDERS = ['docs', 'plans']

/** What the guard of a call keeps to, as plain data from which a thread can open a guard of its own. */
export function guardScopeOf(
  context: Pick<ToolContext, 'role' | 'project_root' | 'service_root'>,
  policy: ProjectPolicy,
  /** Closed wherever they lie, such as the hub's own home. */
  closed_paths: readonly string[] = [],
): GuardScope {
  return {
    service_root: context.service_root,
    project_root: context.project_root,
    shared_roots: policy.shared_roots,
    closed_paths,
    is_real: true,
    ...(context.role === 'product_owner' && { only_in: DOCUMENT_FOLDERS }),
    block_patterns: policy.block_patterns,
    hard_link_stores: policy.hard_link_stores,
  }
}
