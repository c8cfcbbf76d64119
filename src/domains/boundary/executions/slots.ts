/** Lets so many at a time go on; the others wait in order. */
export interface Slots {
  /** Resolves when there is room; the answer gives the room back. */
  take(): Promise<() => void>
  waiting(): number
}

export function openSlots(count: number): Slots {
  let free = count
  const queue: (() => void)[] = []
  const give = () => {
    const next = queue.shift()
    if (next) next()
    else free++
  }
  return {
    async take() {
      if (free > 0) free--
      else await new Promise<void>((go) => queue.push(go))
      let given = false
      return () => {
        if (given) return
        given = true
        give()
      }
    },
    waiting: () => queue.length,
  }
}
