import { GuardDenied } from '../../platform/guard/guard.ts'
import { TreeUnsound } from '../../platform/trees/folder-chain.ts'
import {
  type HeldTree,
  type HoldOptions,
  holdAbove,
  holdTree,
  TreeBusy,
  TreeGivenUp,
} from '../../platform/trees/hold-tree.ts'
import type { ToolCall } from './tool.ts'
import { ToolFault } from './tool-fault.ts'

/** What has to be known of a call to hold its service. */
export type TreeCall = Pick<ToolCall<unknown>, 'signal'> & {
  readonly context: Pick<ToolCall<unknown>['context'], 'service_root'>
  readonly guard: Pick<ToolCall<unknown>['guard'], 'holdsRoot'>
}

/**
 * Lets a call work alone in its service: no command of an agent runs there meanwhile, nor in a service around it or
 * inside it, of whatever process, home or session. For all that runs an agent's code, and for all that is trusted but
 * opens names there. The folder is the one that the guard holds. It cannot be taken twice by one call.
 */
export async function withTreeLock<Result>(
  call: TreeCall,
  act: (tree: HeldTree) => Promise<Result>,
  options: Pick<HoldOptions, 'patience_ms'> = {},
): Promise<Result> {
  const { service_root } = call.context
  const tree = await holdTree(service_root, { ...options, signal: call.signal }).catch((error: unknown) => {
    throw faultOf(error)
  })
  try {
    // A seat has the real path of its folder: where a link is met on the way, somebody has put it there since.
    if (tree.path !== service_root || !call.guard.holdsRoot(tree)) throw new GuardDenied('changed', '.')
    return await act(tree)
  } finally {
    tree.release()
  }
}

/**
 * Lets a call work with a repository while no command of an agent runs around the folder that it lies in: such a command
 * could have made the repository, or change it under the call. One that runs in the folder itself sees it read-only.
 */
export async function withNobodyAround<Result>(
  { signal }: Pick<TreeCall, 'signal'>,
  folder: string,
  act: () => Promise<Result>,
): Promise<Result> {
  const above = await holdAbove(folder, { signal }).catch((error: unknown) => {
    throw faultOf(error)
  })
  try {
    return await act()
  } finally {
    above.release()
  }
}

function faultOf(error: unknown): unknown {
  if (error instanceof TreeBusy)
    return new ToolFault(
      'ResourceBusy',
      'Somebody else works in this service, or in one around it or inside it. Nothing was done.',
      'Wait for the other command to end, then call again.',
      { cause: error },
    )
  if (error instanceof TreeGivenUp)
    return new ToolFault('Timeout', 'The call was given up before it was its turn.', 'Call again.')
  if (!(error instanceof TreeUnsound)) return error
  if (error.was_moved) return new GuardDenied('changed', '.')
  return new ToolFault(
    'IOError',
    'The folder of the service cannot be locked, so nothing was done.',
    'Ask the owner whether the hub may read it and the folders above it, and whether its file system has locks.',
    { cause: error },
  )
}
