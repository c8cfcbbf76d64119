import { UNREADABLE_LOCK } from '../platform/locks/lock.ts'
import type { Hub } from './hub.ts'

type Locked = Pick<Hub, 'locks'>

/** Whether a hub begins nothing by itself: everything is locked, or whether it is cannot be told. */
export async function mayBeginNothing({ locks }: Locked): Promise<boolean> {
  return (await locks.find(undefined)) !== undefined
}

/** Whether a hub also breaks off what it does by itself. Locks that cannot be read end nothing. */
export async function mustBreakOff({ locks }: Locked): Promise<boolean> {
  const lock = await locks.find(undefined)
  return lock !== undefined && lock !== UNREADABLE_LOCK
}

/** What a worker that rests while everything is locked asks. */
export function restWhileLocked(hub: Locked) {
  return { mayBeginNothing: () => mayBeginNothing(hub), mustBreakOff: () => mustBreakOff(hub) }
}
