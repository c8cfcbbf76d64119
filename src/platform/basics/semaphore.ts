/** Lets at most so many holders in at a time; the others wait in the order they came. */
export interface Semaphore {
  /** Resolves when there is room, with what gives it back. Whoever is told to stop meanwhile leaves the queue. */
  acquire(signal?: AbortSignal): Promise<() => void>
  /** Does something while it holds a place. */
  run<Result>(act: () => Promise<Result>, signal?: AbortSignal): Promise<Result>
  waiting(): number
}

/** How many may wait, and what is thrown at those who come when that is reached. */
interface QueueBound {
  readonly limit: number
  readonly full: () => Error
}

export function openSemaphore(at_once: number, bound?: QueueBound): Semaphore {
  let free = at_once
  const waiting = new Set<() => void>()
  const release = () => {
    const [next] = waiting
    // The place is handed on as it is, so that nobody who comes just now gets it instead.
    if (next) next()
    else free++
  }
  const wait = (signal: AbortSignal | undefined) =>
    new Promise<void>((resolve, reject) => {
      const leave = (settle: () => void) => {
        waiting.delete(go)
        signal?.removeEventListener('abort', stop)
        settle()
      }
      const go = () => leave(resolve)
      const stop = () => leave(() => reject(signal?.reason as Error))
      signal?.addEventListener('abort', stop)
      waiting.add(go)
    })
  const acquire = async (signal?: AbortSignal) => {
    signal?.throwIfAborted()
    if (free > 0) free--
    else if (bound && waiting.size >= bound.limit) throw bound.full()
    else await wait(signal)
    let is_released = false
    return () => {
      if (!is_released) release()
      is_released = true
    }
  }
  return {
    acquire,
    async run(act, signal) {
      const giveBack = await acquire(signal)
      try {
        return await act()
      } finally {
        giveBack()
      }
    },
    waiting: () => waiting.size,
  }
}
