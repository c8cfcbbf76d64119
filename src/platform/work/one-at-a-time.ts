/** Runs something once at a time. Who asks while it runs gets a run that begins after that one. */
export function oneAtATime(act: () => Promise<void>) {
  let current: Promise<void> | undefined
  let next: Promise<void> | undefined
  const begin = () => (current = act().finally(() => (current = undefined)))
  const run = (): Promise<void> => {
    if (!current) return begin()
    next ??= current
      .catch(() => {})
      .then(() => {
        next = undefined
        return begin()
      })
    return next
  }
  return { run, settled: async () => void (await Promise.allSettled([current, next])) }
}

/** Does something once in the next tick, however often it is asked for in this one. */
export function soon(act: () => void) {
  let asked: NodeJS.Immediate | undefined
  return {
    ask() {
      asked ??= setImmediate(() => {
        asked = undefined
        act()
      })
    },
    cancel: () => clearImmediate(asked),
  }
}
