/** Memory in which a thread says since when it has been at one operation, for others to see. */
export type OperationClock = BigInt64Array

const NS_PER_MS = 1_000_000

export function createClock(): OperationClock {
  return new BigInt64Array(new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT))
}

/** Does one operation under the eyes of whoever watches the clock. */
export function doTimed<Result>(clock: OperationClock, act: () => Result): Result {
  Atomics.store(clock, 0, process.hrtime.bigint())
  try {
    return act()
  } finally {
    Atomics.store(clock, 0, 0n)
  }
}

/** How long the operation at hand has been going on; nothing between operations. */
export function elapsedMs(clock: OperationClock): number {
  const begun = Atomics.load(clock, 0)
  return begun === 0n ? 0 : Number(process.hrtime.bigint() - begun) / NS_PER_MS
}
