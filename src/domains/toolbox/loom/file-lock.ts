import { type HeldFolder, isSameThing } from '../../../platform/guard/guard.ts'
import { ToolFault } from '../tool-fault.ts'
import { breakAbandoned } from './break-lock.ts'
import type { LockFile } from './lock-files.ts'
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
  const lock = renewing(await takeLock(folder, tools))
  try {
    return await work(lock)
  } finally {
    lock.release()
  }
}

/** The lock of the held folder's file if nobody has it; it must be given back in any case. */
export function tryLock(folder: HeldFolder, tools: LockTools): FileLock | undefined {
  const lock = findFree(folder, tools, tools.random(TOKEN_BYTES))
  return lock && renewing(lock)
}

function renewing(lock: FileLock): FileLock {
  const timer = setInterval(lock.renew, RENEW_MS).unref()
  const release = () => {
    clearInterval(timer)
    lock.release()
  }
  return { ...lock, release }
}

/** Waits for the lock of the held folder's file, but not for ever. */
export async function takeLock(folder: HeldFolder, tools: LockTools): Promise<FileLock> {
  const name = lockNameOf(folder)
  const token = tools.random(TOKEN_BYTES)
  const started_ms = tools.elapsed_ms()
  for (;;) {
    const lock = findFree(folder, tools, token)
    if (lock) return lock
    const left_ms = LOCK_WAIT_MS - (tools.elapsed_ms() - started_ms)
    if (left_ms <= 0 || tools.signal.aborted) throw busy(folder)
    if (!breakAbandoned(folder, name, tools)) await tools.sleep(Math.min(left_ms, pauseOf(tools)))
  }
}

function findFree(folder: HeldFolder, tools: LockTools, token: string): FileLock | undefined {
  const name = lockNameOf(folder)
  const bytes = () => renderLockRecord(makeLockRecord(token, tools.now()))
  const made = makeLock(folder, name, bytes(), tools)
  return made && openLock(folder, name, made, { ...tools, bytes })
}

/** A lock that was made, and the file kept for it if it is one of those. */
interface MadeLock {
  readonly file: LockFile | undefined
}

/** Makes the lock in one step; nothing where there is one. */
function makeLock(
  folder: HeldFolder,
  name: string,
  bytes: Buffer,
  { files, service }: LockTools,
): MadeLock | undefined {
  const file = files.take(service, bytes)
  const is_linked = file && folder.linkLock(name, file.path)
  if (is_linked) return { file }
  if (file) files.giveBack(file)
  if (is_linked === false) return undefined
  return folder.createNew(name, bytes, LOCK_MODE) ? { file: undefined } : undefined
}

function openLock(
  folder: HeldFolder,
  name: string,
  { file }: MadeLock,
  tools: LockTools & { bytes: () => Buffer },
): FileLock {
  const find = () => folder.stat(name)
  // While it is held a lock is never rewritten: whoever takes it over makes another file, or has one of their own.
  let own = file?.identity ?? find()
  const isHeld = () => own !== undefined && isSameThing(find(), own)
  const orWarn = (act: () => void, failure: string) => {
    try {
      act()
    } catch (error) {
      tools.log.warn({ path: folder.path, fault: (error as Error).message }, failure)
    }
  }
  return {
    isHeld,
    renew: () =>
      orWarn(() => {
        if (!isHeld()) return
        folder.replace(name, tools.bytes(), LOCK_MODE)
        own = find()
      }, 'lock of a file not renewed'),
    release: () =>
      orWarn(() => {
        if (isHeld()) folder.unlink(name)
        if (file) tools.files.giveBack(file)
      }, 'lock of a file not released'),
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
