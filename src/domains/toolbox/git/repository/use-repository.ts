import { isWithin } from '../../../../platform/sandbox/places.ts'
import { ToolFault } from '../../tool-fault.ts'
import { withNobodyAround } from '../../tree-lock.ts'
import type { GitCall } from '../run/git-run.ts'
import { openRepository, type Repository } from './repository.ts'

/**
 * Lets a call use its repository. A command in a service around could have made it, with remotes of its own choosing, so
 * it is looked for once more when none runs there; what such a command leaves has been moved aside then.
 */
export async function useRepository<Result>(
  call: Pick<GitCall, 'context' | 'signal'>,
  tool: string,
  act: (repository: Repository) => Promise<Result>,
): Promise<Result> {
  const { work_tree } = openRepository(call, tool)
  return withNobodyAround(call, work_tree, async () => {
    const repository = openRepository(call, tool)
    if (isWithin(repository.work_tree, work_tree)) return act(repository)
    throw new ToolFault('ResourceBusy', 'The repository was made just now. Nothing was done.', 'Call again.')
  })
}
