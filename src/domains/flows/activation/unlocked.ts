import { type Lock, lockedCode } from '../../../platform/locks/lock.ts'
import type { Finding } from './finding.ts'

/** Whether a lock stops it. */
export function unlocked(lock: Lock | undefined): Finding {
  if (!lock) return { holds: true, detail: 'not locked' }
  const since = `locked by ${lock.locked_by} at ${lock.locked_at}`
  return { holds: false, code: lockedCode(lock), detail: lock.reason ? `${since}: ${lock.reason}` : since }
}
