import { isGone } from '../../../../platform/basics/process-name.ts'
import {
  FileFault,
  type FoundFile,
  GuardDenied,
  type HeldFolder,
  isSameThing,
} from '../../../../platform/guard/guard.ts'
import { asideNameOf, findRecord, gateNameOf } from './lock-name.ts'
import { makeLockRecord, renderLockRecord } from './lock-record.ts'
import type { LockTools } from './lock-tools.ts'

export const STALE_AFTER_MS = 30_000
const TOKEN_BYTES = 16
const PRIVATE_MODE = 0o600
/** Larger than any lock of ours; one of somebody else's is put back with its beginning at most. */
const PUT_BACK_MAX_BYTES = 65_536

type SeenLock = NonNullable<ReturnType<HeldFolder['stat']>>

/** A lock nobody will give back, and why. */
interface Abandoned {
  readonly seen: SeenLock
  readonly reason: 'too old' | 'holder gone'
  readonly age_ms: number
}

/**
 * Removes a lock that was left behind; answers whether it did. Only one at a time may do so, for two who both
 * saw the old lock could otherwise remove a new one: the second would take away what the first had just taken.
 */
export function breakAbandoned(folder: HeldFolder, lock: string, tools: LockTools): boolean {
  if (!findAbandoned(folder, lock, tools)) return false
  const gate = gateNameOf(lock)
  const own = renderLockRecord(makeLockRecord(tools.random(TOKEN_BYTES), tools.now()))
  if (!folder.createNew(gate, own, PRIVATE_MODE)) return breakGate(folder, gate, tools)
  try {
    const abandoned = findAbandoned(folder, lock, tools)
    if (!abandoned || !removeIfSame(folder, lock, abandoned.seen, tools)) return false
    const { reason, age_ms } = abandoned
    tools.log.warn({ path: folder.path, reason, age_ms }, 'abandoned lock of a file removed')
    return true
  } finally {
    folder.unlink(gate)
  }
}

/** Who was killed while removing a lock leaves this one behind. */
function breakGate(folder: HeldFolder, gate: string, tools: LockTools): boolean {
  const abandoned = findAbandoned(folder, gate, tools)
  return abandoned !== undefined && removeIfSame(folder, gate, abandoned.seen, tools)
}

function findAbandoned(folder: HeldFolder, lock: string, tools: LockTools): Abandoned | undefined {
  const seen = folder.stat(lock)
  if (!seen) return undefined
  const age_ms = tools.now().getTime() - seen.mtime_ms
  // A lock from the future was made by another clock, and would never grow old.
  if (Math.abs(age_ms) > STALE_AFTER_MS) return { seen, reason: 'too old', age_ms }
  const holder = findRecord(folder, lock)?.holder
  if (!holder || !isGone(holder) || !isSame(folder.stat(lock), seen)) return undefined
  return { seen, reason: 'holder gone', age_ms }
}

/** Takes a lock out of the way, and only then, when nobody else can touch it, looks whether it is the one meant. */
function removeIfSame(folder: HeldFolder, lock: string, seen: SeenLock, tools: LockTools): boolean {
  const aside = asideNameOf(tools.random(TOKEN_BYTES))
  if (!folder.rename(lock, aside)) return false
  const is_same = isSame(folder.stat(aside), seen)
  if (!is_same) putBack(folder, aside, lock, tools)
  folder.unlink(aside)
  return is_same
}

/** Compares the time too: file numbers are used again. */
function isSame(now: SeenLock | undefined, before: SeenLock): boolean {
  return isSameThing(now, before) && now?.mtime_ms === before.mtime_ms
}

/** Undefined where it is gone, too large, or the guard does not let it be read. */
function readQuietly(folder: HeldFolder, name: string): FoundFile | undefined {
  try {
    return folder.read(name, PUT_BACK_MAX_BYTES)
  } catch (error) {
    if (error instanceof FileFault || error instanceof GuardDenied) return undefined
    throw error
  }
}

/** If somebody took the lock in between, its former holder finds that out before it changes anything. */
function putBack(folder: HeldFolder, aside: string, lock: string, tools: LockTools): void {
  const found = readQuietly(folder, aside)
  const is_back = found !== undefined && folder.createNew(lock, found.bytes, found.mode)
  if (!is_back) tools.log.warn({ path: folder.path }, 'lock of a file lost to another holder')
}
