import { readFileSync, readlinkSync } from 'node:fs'

/** Memory in which a thread tells others since when it has been at one operation. */
export type OperationClock = BigInt64Array

const BEGUN_NS = 0
/** What the thread had computed before. */
const COMPUTED_NS = 1
/** The number that the system knows the thread by; zero where that is not to be had. */
const THREAD = 2
/** Whether the thread has loaded its program. */
const ENTERED = 3
const FIELDS = 4
const NS_PER_MS = 1_000_000
/** A thread that is kept from computing by others gets this much time, however little it has done. */
const STARVED_LIMIT_MS = 500
/** From Node 23.9; before, only the time since the beginning counts. */
const KNOWS_THREAD_TIME = 'threadCpuUsage' in process

export function createClock(): OperationClock {
  return new BigInt64Array(new SharedArrayBuffer(FIELDS * BigInt64Array.BYTES_PER_ELEMENT))
}

/** Says which thread is at work; for the thread itself, before its first operation. */
export function enterThread(clock: OperationClock): void {
  const number = KNOWS_THREAD_TIME ? findThreadNumber() : undefined
  if (number !== undefined) Atomics.store(clock, THREAD, BigInt(number))
  Atomics.store(clock, ENTERED, 1n)
}

/** Whether a thread got as far as its own program; what failed before has nothing to do with its work. */
export function hasEntered(clock: OperationClock): boolean {
  return Atomics.load(clock, ENTERED) !== 0n
}

function findThreadNumber(): string | undefined {
  try {
    return /\d+$/.exec(readlinkSync('/proc/thread-self'))?.[0]
  } catch {
    return undefined
  }
}

/** Does one operation under the eyes of whoever watches the clock. */
export function doTimed<Result>(clock: OperationClock, act: () => Result): Result {
  const { user, system } = KNOWS_THREAD_TIME ? process.threadCpuUsage() : { user: 0, system: 0 }
  Atomics.store(clock, COMPUTED_NS, BigInt((user + system) * 1_000))
  Atomics.store(clock, BEGUN_NS, process.hrtime.bigint())
  try {
    return act()
  } finally {
    Atomics.store(clock, BEGUN_NS, 0n)
  }
}

/**
 * How much of its time the operation at hand has used; nothing between operations. Up to the limit that is the
 * time since it began. Beyond, only what it computed counts: others who keep the machine busy, even with such
 * operations, must not make a harmless one look like an attack.
 */
export function usedMs(clock: OperationClock, limit_ms: number): number {
  const begun = Atomics.load(clock, BEGUN_NS)
  const elapsed_ms = begun === 0n ? 0 : Number(process.hrtime.bigint() - begun) / NS_PER_MS
  if (elapsed_ms < limit_ms || elapsed_ms >= STARVED_LIMIT_MS) return elapsed_ms
  const computed_ms = findComputedMs(clock)
  return Atomics.load(clock, BEGUN_NS) === begun ? (computed_ms ?? elapsed_ms) : 0
}

function findComputedMs(clock: OperationClock): number | undefined {
  const thread = Atomics.load(clock, THREAD)
  if (thread === 0n) return undefined
  try {
    const [computed_ns] = readFileSync(`/proc/self/task/${thread}/schedstat`, 'utf8').split(' ')
    return (Number(computed_ns) - Number(Atomics.load(clock, COMPUTED_NS))) / NS_PER_MS
  } catch {
    return undefined
  }
}

/** What a thread that matches patterns is started with. */
export interface EngineThreadData {
  readonly clock: OperationClock
  readonly module: WebAssembly.Module
}
