import { Refusal } from '../../../operations/errors.ts'
import type { Hub } from '../../../operations/hub.ts'
import type { IndexJob } from '../../../platform/knowledge/index-job.ts'
import type { ProjectPolicy } from '../policy/project-policy.ts'
import { ToolFault } from '../tool-fault.ts'
import { workshopOf } from '../workshop.ts'
import { type IndexerAnswer, type IndexerOrder, indexJobOf } from './knowledge-order.ts'
import { runIndexer } from './knowledge-start.ts'

/** A run that another process has begun is waited for. */
const WAIT_MS = 600_000

/** Lets the indexer do one thing for the owner and waits for it; whatever goes wrong is a refusal. */
export async function carryOutOrder(
  hub: Hub,
  project_root: string,
  { rebuild, ...more }: Omit<IndexerOrder, 'job' | 'wait_ms'> & Pick<IndexJob, 'rebuild'>,
  signal: AbortSignal,
): Promise<Extract<IndexerAnswer, { kind: 'done' | 'exported' }>> {
  const job = indexJobOf(hub, project_root, requirePolicy(hub, project_root), rebuild ? { rebuild } : {})
  const answer = await runIndexer({ job, wait_ms: WAIT_MS, ...more }, signal)
  if (answer.kind === 'busy') throw new Refusal('knowledge_busy')
  if (answer.kind === 'refused') throw new Refusal('knowledge_refused', answer.reason)
  if (answer.kind === 'failed') throw new Refusal('knowledge_failed', answer.reason)
  return answer
}

function requirePolicy(hub: Hub, project_root: string): ProjectPolicy {
  try {
    return workshopOf(hub).policyOf(project_root)
  } catch (error) {
    if (error instanceof ToolFault) throw new Refusal('project_damaged', error.message)
    throw error
  }
}
