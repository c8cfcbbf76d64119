import { createHash } from 'node:crypto'
import { LOCK_PREFIX } from '../../../../platform/guard/blocked-names.ts'
import { FileFault, GuardDenied, type HeldFolder } from '../../../../platform/guard/guard.ts'
import { NAME_BYTES_MAX } from '../../../../platform/guard/input-path.ts'
import { ToolFault } from '../../tool-fault.ts'
import { findLockRecord, LOCK_RECORD_MAX_BYTES, type LockRecord } from './lock-record.ts'

/** The lock file of the file that a folder is held for. */
export function lockNameOf({ name, path }: HeldFolder): string {
  const lock = `${LOCK_PREFIX}${name}`
  if (Buffer.byteLength(lock) > NAME_BYTES_MAX)
    throw new ToolFault(
      'PathTooLong',
      `The name of ${path} is too long to be locked.`,
      `Use a name of at most ${NAME_BYTES_MAX - LOCK_PREFIX.length} bytes.`,
    )
  return lock
}

/** The lock of a lock: held by who removes one that was left behind. No file of a service can have such a lock. */
export function gateNameOf(lock: string): string {
  return `${LOCK_PREFIX}${LOCK_PREFIX}${createHash('sha256').update(lock).digest('hex')}`
}

/** A name for a lock that is taken out of the way. */
export function asideNameOf(token: string): string {
  return `${LOCK_PREFIX}${LOCK_PREFIX}${token}`
}

/** What a lock file says; undefined where it is gone, being written, or none of ours. */
export function findRecord(folder: HeldFolder, lock: string): LockRecord | undefined {
  try {
    const found = folder.read(lock, LOCK_RECORD_MAX_BYTES)
    return found && findLockRecord(found.bytes)
  } catch (error) {
    if (error instanceof FileFault || error instanceof GuardDenied) return undefined
    throw error
  }
}
