import { z } from 'zod'
import { findOwnProcess } from '../../../../platform/basics/process-name.ts'

const RECORD_MAX_BYTES = 1_024
const TEXT_MAX_CHARS = 200

/** What a lock file says: who took it, so that a lock whose holder is gone can be told from one in use. */
const LockRecord = z.strictObject({
  token: z.string().min(1).max(TEXT_MAX_CHARS),
  taken_at: z.iso.datetime(),
  /** Null where the system does not tell. */
  holder: z
    .strictObject({
      pid: z.int().positive(),
      started: z.string().min(1).max(TEXT_MAX_CHARS),
      machine: z.string().min(1).max(TEXT_MAX_CHARS),
    })
    .nullable(),
})

export type LockRecord = z.infer<typeof LockRecord>

export const LOCK_RECORD_MAX_BYTES = RECORD_MAX_BYTES

/** The record of a lock that this process takes. */
export function makeLockRecord(token: string, now: Date): LockRecord {
  return { token, taken_at: now.toISOString(), holder: findOwnProcess() ?? null }
}

export function renderLockRecord(record: LockRecord): Buffer {
  return Buffer.from(`${JSON.stringify(record)}\n`)
}

/** Reads a record; a lock of somebody else's making has none. */
export function findLockRecord(bytes: Buffer): LockRecord | undefined {
  try {
    return LockRecord.parse(JSON.parse(bytes.toString('utf8')))
  } catch {
    return undefined
  }
}
