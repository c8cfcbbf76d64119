import { keptWith } from '../platform/basics/kept-with.ts'
import { underWay } from '../platform/basics/under-way.ts'
import type { Caller } from '../platform/identity/caller.ts'
import { type Lock, UNREADABLE_LOCK } from '../platform/locks/lock.ts'
import { isOwner } from './authority.ts'
import type { Call } from './call.ts'
import { Refusal } from './errors.ts'
import type { Hub } from './hub.ts'

/** Acts that are under way are looked at this often; most are over sooner. */
const LOOK_EVERY_MS = 500
export const NEVER_ABORTED = new AbortController().signal

type Locked = Pick<Hub, 'locks'>

/** The lock on a caller, by any of its ids or its service's folder. */
export function findCallerLock({ locks }: Locked, { id, seat }: Caller) {
  return locks.find(seat ? [seat.agent_id, id] : id, seat?.service_root)
}

/** Whether a call goes on under any lock: only the owner may still look, and take the lock away. */
export function isFreeOfLocks({ operation, caller }: Call): boolean {
  return operation.whileLocked && (isOwner(caller) || operation.authority.kind === 'visitor')
}

/** An act outside the hub, from its begin to its end. */
interface Act {
  readonly call: Call
  readonly stop: AbortController
  is_locked: boolean
}

/** Carries out an act; a lock that comes meanwhile stops it, and the caller hears why. */
export async function performWatched<Output>(
  hub: Locked,
  call: Call,
  perform: (signal: AbortSignal) => Promise<Output>,
): Promise<Output> {
  if (call.ends_when_locked) return perform(call.signal ?? NEVER_ABORTED)
  const act: Act = { call, stop: new AbortController(), is_locked: false }
  const giveUp = () => act.stop.abort(call.signal?.reason)
  if (call.signal?.aborted) giveUp()
  call.signal?.addEventListener('abort', giveUp, { once: true })
  const end = actsOf(hub).begin(act)
  try {
    return await perform(act.stop.signal)
  } catch (error) {
    if (act.is_locked)
      throw new Refusal('LOCKED', 'The owner has locked this. It was under way, and was stopped.')
    throw error
  } finally {
    end()
    call.signal?.removeEventListener('abort', giveUp)
  }
}

const actsOf = keptWith(openActs, ({ locks }) => locks)

interface Acts {
  /** Answers what has to be called at the end of the act. */
  begin(act: Act): () => void
}

function openActs(hub: Locked): Acts {
  const acts = underWay<Act>()
  let last_id = 0
  let timer: NodeJS.Timeout | undefined
  const look = async () => {
    for (const act of acts.values()) if (isStopped(await findCallerLock(hub, act.call.caller), act)) stop(act)
    if (acts.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
  return {
    begin(act) {
      const id = ++last_id
      acts.set(id, act)
      timer ??= setInterval(() => void look(), LOOK_EVERY_MS).unref()
      return () => acts.delete(id)
    },
  }
}

/** Locks that cannot be read let nothing begin, but end nothing that was let in while they could be. */
function isStopped(lock: Lock | undefined, { call }: Act): boolean {
  return lock !== undefined && lock !== UNREADABLE_LOCK && !isFreeOfLocks(call)
}

function stop(act: Act): void {
  act.is_locked = true
  act.stop.abort(new Error('locked'))
}
