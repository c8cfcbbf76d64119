import { ToolFault } from '../tool-fault.ts'

const MAX_WAITING = 20

const queues = new Map<string, { last: Promise<unknown>; waiting: number }>()

/** Lets one call at a time look at a repository and change it, so that what was looked at is what is changed. */
export async function inTurn<Result>(git_dir: string, act: () => Promise<Result>): Promise<Result> {
  const queue = queues.get(git_dir) ?? { last: Promise.resolve(), waiting: 0 }
  if (queue.waiting >= MAX_WAITING) {
    throw new ToolFault('ResourceBusy', 'Too many calls wait for this repository.', 'Call again later.')
  }
  queues.set(git_dir, queue)
  queue.waiting++
  const turn = queue.last.then(act, act)
  queue.last = turn.catch(() => undefined)
  try {
    return await turn
  } finally {
    if (--queue.waiting === 0) queues.delete(git_dir)
  }
}
