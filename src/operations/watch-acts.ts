import { underWay } from '../platform/basics/under-way.ts'
import type { Caller } from '../platform/identity/caller.ts'
import { type Lock, UNREADABLE_LOCK } from '../platform/locks/lock.ts'
import type { Locks } from '../platform/locks/open-locks.ts'
import { isOwner } from './authority.ts'
import type { Call } from './call.ts'
import type { Operation } from './define-operation.ts'
import { Refusal } from './errors.ts'

/** Acts that are under way are looked at this often; most are over sooner. */
const LOOK_EVERY_MS = 500
export const NEVER_ABORTED = new AbortController().signal

interface Locked {
  readonly locks: Locks
}

/** The lock on a caller, by any of its ids or its service's folder. */
export function findCallerLock({ locks }: Locked, { id, seat }: Caller) {
  return locks.find(seat ? [seat.agent_id, id] : id, seat?.service_root)
}

/** Whether a call goes on under any lock: only the owner may still look, at everything, and take the lock away. */
export function isFreeOfLocks({ operation, caller }: Call): boolean {
  if (operation.authority.kind === 'visitor') return operation.whileLocked
  return isOwner(caller) && (operation.whileLocked || isLook(operation))
}

/** Whether it changes nothing and reaches nothing: neither the store nor anything outside. */
function isLook({ effect, outward, openWorld }: Operation): boolean {
  return effect === 'read' && !outward && !openWorld
}

/** An act outside the hub, from its begin to its end. */
export interface Act {
  readonly call: Call
  readonly stop: AbortController
  /** Why it was stopped. */
  refused?: Refusal
}

/** Carries out an act; a lock or the end of its credential stops it meanwhile, and the caller hears why. */
export async function performWatched<Output>(
  { acts }: { readonly acts: Acts },
  call: Call,
  perform: (signal: AbortSignal) => Promise<Output>,
): Promise<Output> {
  const act: Act = { call, stop: new AbortController() }
  const giveUp = () => act.stop.abort(call.signal?.reason)
  if (call.signal?.aborted) giveUp()
  call.signal?.addEventListener('abort', giveUp, { once: true })
  const end = acts.begin(act)
  try {
    return await perform(act.stop.signal)
  } catch (error) {
    throw act.refused ?? error
  } finally {
    end()
    call.signal?.removeEventListener('abort', giveUp)
  }
}

/** The acts of one hub that are under way. */
export interface Acts {
  /** Answers what has to be called at the end of the act. */
  begin(act: Act): () => void
}

/** Looks at acts for as long as there are any. */
export function watchActs(hub: Locked): Acts {
  const acts = underWay<Act>()
  let last_id = 0
  let timer: NodeJS.Timeout | undefined
  let is_looking = false
  const look = async () => {
    // A store that is slow gets no second question beside the first.
    if (is_looking) return
    is_looking = true
    for (const act of acts.values()) await lookAt(hub, act)
    is_looking = false
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

async function lookAt(hub: Locked, act: Act): Promise<void> {
  const { call, stop } = act
  if (stop.signal.aborted) return
  if (isStopped(await findCallerLock(hub, call.caller), call)) act.refused = STOPPED_BY_LOCK
  else if (!(await countsStill(call))) act.refused = new Refusal('UNAUTHENTICATED')
  if (act.refused) stop.abort(act.refused)
}

/** Refuses a call whose caller was locked while something was made ready for it. */
export async function checkStillUnlocked(hub: Locked, caller: Caller): Promise<void> {
  const lock = await findCallerLock(hub, caller)
  if (lock !== undefined && lock !== UNREADABLE_LOCK) throw STOPPED_BY_LOCK
}

const STOPPED_BY_LOCK = new Refusal('LOCKED', 'The owner has locked this. It was under way, and was stopped.')

/** Locks that cannot be read let nothing begin, but end nothing that was let in while they could be. */
function isStopped(lock: Lock | undefined, call: Call): boolean {
  return lock !== undefined && lock !== UNREADABLE_LOCK && !isFreeOfLocks(call)
}

/** Likewise a credential that cannot be looked up. */
async function countsStill({ stillCounts }: Call): Promise<boolean> {
  if (!stillCounts) return true
  return stillCounts().catch(() => true)
}
