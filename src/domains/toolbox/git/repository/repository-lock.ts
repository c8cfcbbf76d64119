import { closeSync, constants, openSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { withMutex } from '../../../../platform/basics/mutex.ts'
import { tryLock, unlock } from '../../../../platform/trees/flock.ts'
import { ToolFault } from '../../tool-fault.ts'

const WAITING_LIMIT = 19
/** How long a call waits for those of other processes. */
const PATIENCE_MS = 60_000
/** How often it looks; never quite as often as another one. */
const LOOK_MS = 20
const LOOK_SPREAD_MS = 20
const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

const bound = {
  limit: WAITING_LIMIT,
  full: () => new ToolFault('ResourceBusy', 'Too many calls wait for this repository.', 'Call again later.'),
}

/**
 * Lets one call at a time look at a repository and change it, so that what was looked at is what is changed: what a
 * commit was searched for, another hub must not add to before it is made. A mutex keeps the order in this process, and
 * the kernel's lock on the folder keeps other processes out.
 */
export function withRepositoryLock<Result>(
  git_dir: string,
  act: () => Promise<Result>,
  patience_ms = PATIENCE_MS,
): Promise<Result> {
  return withMutex(`repository ${git_dir}`, () => withFolderLock(git_dir, patience_ms, act), { bound })
}

async function withFolderLock<Result>(
  folder: string,
  patience_ms: number,
  act: () => Promise<Result>,
): Promise<Result> {
  const fd = openSync(folder, OPEN_FOLDER)
  try {
    const end_ms = performance.now() + patience_ms
    while (!tryHold(fd)) {
      if (performance.now() > end_ms) throw heldByOthers()
      await sleep(LOOK_MS + Math.random() * LOOK_SPREAD_MS)
    }
    return await act()
  } finally {
    unlock(fd)
    closeSync(fd)
  }
}

function tryHold(fd: number): boolean {
  try {
    return tryLock(fd, 'exclusive')
  } catch (cause) {
    throw new ToolFault(
      'IOError',
      'The folder of the repository cannot be locked, so nothing was done.',
      'Ask the owner whether its file system has locks.',
      { cause },
    )
  }
}

function heldByOthers(): ToolFault {
  return new ToolFault(
    'ResourceBusy',
    'Another hub, or a command that sees the repository, holds it. Nothing was done.',
    'Call again later.',
  )
}
