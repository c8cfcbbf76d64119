/** Lets so many at a time go on; the others wait in order, and nobody comes in between. */
export interface Turns {
  /** Resolves when there is room; the answer gives the room back. Whoever is told to stop meanwhile leaves the line. */
  take(signal?: AbortSignal): Promise<() => void>
  /** Does something when there is room. */
  run<Result>(act: () => Promise<Result>, signal?: AbortSignal): Promise<Result>
  waiting(): number
}

/** How long the line may be, and what is thrown at those who come when it is full. */
interface Line {
  readonly limit: number
  readonly full: () => Error
}

export function openTurns(at_once: number, line?: Line): Turns {
  let free = at_once
  const waiting = new Set<() => void>()
  const giveBack = () => {
    const [next] = waiting
    // The room is handed on as it is, so that nobody who comes just now gets it instead.
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
  const take = async (signal?: AbortSignal) => {
    signal?.throwIfAborted()
    if (free > 0) free--
    else if (line && waiting.size >= line.limit) throw line.full()
    else await wait(signal)
    let given = false
    return () => {
      if (!given) giveBack()
      given = true
    }
  }
  return {
    take,
    async run(act, signal) {
      const give = await take(signal)
      try {
        return await act()
      } finally {
        give()
      }
    },
    waiting: () => waiting.size,
  }
}
