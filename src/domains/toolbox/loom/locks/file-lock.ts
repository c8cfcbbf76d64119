import { type HeldFolder, isSameThing } from '../../../../platform/guard/guard.ts'
import { ToolFault } from '../../tool-fault.ts'
import { breakAbandoned } from './break-lock.ts'
import { lockNameOf } from './lock-name.ts'
import { makeLockRecord, renderLockRecord } from './lock-record.ts'
import type { LockTools } from './lock-tools.ts'

export const LOCK_WAIT_MS = 5_000
/** Well below the age at which others take a lock for forgotten. */
const RENEW_MS = 10_000
const LOCK_MODE = 0o600
const TOKEN_BYTES = 16
const PAUSE_MIN_MS = 5
const PAUSE_SPREAD_MS = 40

/** The sole right to change one file, as long as it is held. */
export interface FileLock {
  /** Whether the lock file is still this one. To be asked right before a change is made. */
  isHeld(): boolean
  /** Puts the lock file's age back to nothing. */
  renew(): void
  release(): void
}

/** Does something while nobody else who asks for the lock can change the file; gives the lock back in any case. */
export async function withLock<Result>(
  folder: HeldFolder,
  tools: LockTools,
  work: (lock: FileLock) => Result | Promise<Result>,
): Promise<Result> {
  const lock = await takeLock(folder, tools)
  try {
    return await work(lock)
  } finally {
    lock.release()
  }
}

/** Waits for the lock of the held folder's file, at most LOCK_WAIT_MS. It is renewed until it is released. */
export async function takeLock(folder: HeldFolder, tools: LockTools): Promise<FileLock> {
  const name = lockNameOf(folder)
  const token = tools.random(TOKEN_BYTES)
  const bytes = () => renderLockRecord(makeLockRecord(token, tools.now()))
  const started_ms = tools.elapsed_ms()
  while (!folder.createNew(name, bytes(), LOCK_MODE)) {
    const left_ms = LOCK_WAIT_MS - (tools.elapsed_ms() - started_ms)
    if (left_ms <= 0 || tools.signal.aborted) throw busy(folder)
    if (!breakAbandoned(folder, name, tools)) await tools.sleep(Math.min(left_ms, pauseOf(tools)))
  }
  return heldLock(folder, name, { ...tools, bytes })
}

function heldLock(folder: HeldFolder, name: string, tools: LockTools & { bytes: () => Buffer }): FileLock {
  const find = () => folder.stat(name)
  // A lock is not rewritten while it is held: whoever takes it over makes another file.
  let own = find()
  const isHeld = () => own !== undefined && isSameThing(find(), own)
  const orWarn = (act: () => void, failure: string) => {
    try {
      act()
    } catch (error) {
      tools.log.warn({ path: folder.path, fault: (error as Error).message }, failure)
    }
  }
  const renew = () =>
    orWarn(() => {
      if (!isHeld()) return
      folder.replace(name, tools.bytes(), LOCK_MODE)
      own = find()
    }, 'lock of a file not renewed')
  const timer = setInterval(renew, RENEW_MS).unref()
  return {
    isHeld,
    renew,
    release() {
      clearInterval(timer)
      orWarn(() => isHeld() && folder.unlink(name), 'lock of a file not released')
    },
  }
}

/** Different for each, so that those who wait do not all come at once. */
function pauseOf({ random }: LockTools): number {
  return PAUSE_MIN_MS + (Number.parseInt(random(1), 16) * PAUSE_SPREAD_MS) / 256
}

function busy({ path }: HeldFolder): ToolFault {
  return new ToolFault(
    'ResourceBusy',
    `${path} is locked by another change.`,
    `Waited ${LOCK_WAIT_MS / 1000} s for it. Try again; a lock that is left behind is removed after 30 s.`,
  )
}
