import type { Log } from '../../basics/plain-log.ts'
import { type Bounds, waitFor } from '../deadline.ts'
import type { ServerNews } from '../mcp/server-events.ts'
import { UpstreamFailure, type UpstreamReason } from '../upstream-failure.ts'
import { childGuard } from './child-guard.ts'
import { type ChildSpec, startChild } from './tool-child.ts'
import { openSession, type SessionLimits, type ToolSession } from './tool-session.ts'

export interface PoolLimits extends SessionLimits {
  readonly children: number
  readonly idle_ms: number
  readonly backoff_ms: number
  readonly max_backoff_ms: number
}

export const POOL_LIMITS: PoolLimits = {
  children: 32,
  idle_ms: 300_000,
  start_seconds: 60,
  question_ms: 3_000,
  grace_ms: 2000,
  silence_ms: 10_000,
  backoff_ms: 250,
  max_backoff_ms: 60_000,
}

/** Tool servers started as children: one for each distinct spec, shared by all calls to it. */
export interface ChildPool {
  /** `key` says which spec this is; equal specs have equal keys. */
  use<Result>(
    key: string,
    spec: ChildSpec,
    bounds: Bounds,
    act: (session: ToolSession) => Promise<Result>,
  ): Promise<Result>
  close(): Promise<void>
}

interface Slot {
  session: ToolSession | undefined
  /** The last one went away when it was asked before it was greeted. */
  wants_greeting: boolean
  /** Calls that have or await a session of this slot. */
  calls: number
  /** Ends in a row without one good answer between them. */
  failures: number
  retry_at_ms: number
  used_at_ms: number
}

export interface PoolOptions {
  readonly env: NodeJS.ProcessEnv
  readonly log: Log
  readonly now: () => Date
  readonly limits: PoolLimits
  readonly tell: (kind: ServerNews, server: string) => void
}

export function childPool({ env, log, now, limits, tell }: PoolOptions): ChildPool {
  const slots = new Map<string, Slot>()
  const alive = new Set<ToolSession>()
  const guard = childGuard(log)
  let closed = false

  const endSession = (slot: Slot, reason: UpstreamReason): Promise<void> => {
    const { session } = slot
    slot.session = undefined
    return session?.end(reason) ?? Promise.resolve()
  }
  const sweep = setInterval(() => endIdle(slots, now().getTime(), limits, endSession), limits.idle_ms / 4)
  sweep.unref()

  const start = (slot: Slot, spec: ChildSpec): ToolSession => {
    const child = startChild(spec, env, guard)
    const session = openSession(child, limits, (kind) => tell(kind, spec.server), slot.wants_greeting)
    slot.session = session
    alive.add(session)
    void session.gone.then(() => {
      alive.delete(session)
      // One that the pool itself ended is no longer in its slot, and is no failure.
      if (slot.session !== session) return
      slot.session = undefined
      if (session.wanted_greeting && !slot.wants_greeting) return void (slot.wants_greeting = true)
      noteFailure(slot, session, now().getTime(), limits)
      log.warn({ failures: slot.failures }, 'a tool server stopped by itself')
    })
    return session
  }
  const sessionFor = async (slot: Slot, spec: ChildSpec): Promise<ToolSession> => {
    if (closed) throw new UpstreamFailure('not_available', false)
    if (slot.session && !slot.session.over) return slot.session
    // The last one is still going down: its successor must not run beside it.
    if (slot.session) await slot.session.gone
    else if (now().getTime() < slot.retry_at_ms) throw new UpstreamFailure('crashed', false)
    else if (alive.size < limits.children) return start(slot, spec)
    else await makeRoom(slots, endSession)
    return sessionFor(slot, spec)
  }
  return {
    async use(key, spec, { deadline, progress }, act) {
      const slot = slots.get(key) ?? newSlot()
      slots.set(key, slot)
      slot.calls++
      try {
        const ready = slot.session && !slot.session.over ? slot.session : undefined
        const session = ready ?? (await waitFor(sessionFor(slot, spec), deadline, progress))
        const again = () => waitFor(sessionFor(slot, spec), deadline, progress).then(act)
        return await act(session).catch((error) => orGreeted(error, session, progress, again))
      } finally {
        slot.calls--
        slot.used_at_ms = now().getTime()
      }
    },
    async close() {
      closed = true
      clearInterval(sweep)
      await Promise.all([...slots.values()].map((slot) => endSession(slot, 'cancelled')))
      await Promise.all([...alive].map((session) => session.gone))
      await guard.close()
    },
  }
}

/** Once more where the child went away over the question how it wants to be spoken to: nothing was sent by then. */
async function orGreeted<Result>(
  error: unknown,
  session: ToolSession,
  { sent }: Bounds['progress'],
  again: () => Promise<Result>,
): Promise<Result> {
  if (!session.wanted_greeting || sent) throw error
  await session.gone
  return again()
}

function newSlot(): Slot {
  return { session: undefined, wants_greeting: false, calls: 0, failures: 0, retry_at_ms: 0, used_at_ms: 0 }
}

/** The first restart is immediate; from then on each failure doubles the time until the next try. */
function noteFailure(slot: Slot, session: ToolSession, now_ms: number, limits: PoolLimits): void {
  slot.failures = session.proven ? 1 : slot.failures + 1
  const wait_ms = slot.failures < 2 ? 0 : limits.backoff_ms * 2 ** Math.min(slot.failures - 2, 20)
  slot.retry_at_ms = now_ms + Math.min(wait_ms, limits.max_backoff_ms)
}

type EndSession = (slot: Slot, reason: UpstreamReason) => Promise<void>

function endIdle(slots: Map<string, Slot>, now_ms: number, limits: PoolLimits, end: EndSession): void {
  for (const [key, slot] of slots) {
    const resting_ms = now_ms - Math.max(slot.used_at_ms, slot.retry_at_ms)
    if (slot.calls > 0 || resting_ms < limits.idle_ms) continue
    slots.delete(key)
    void end(slot, 'cancelled')
  }
}

/** Ends the child that has been without work for longest, or says that all are busy. */
async function makeRoom(slots: Map<string, Slot>, end: EndSession): Promise<void> {
  const idle = [...slots.values()].filter((slot) => slot.session && slot.calls === 0)
  const [oldest] = idle.toSorted((a, b) => a.used_at_ms - b.used_at_ms)
  if (!oldest) throw new UpstreamFailure('not_available', false)
  await end(oldest, 'cancelled')
}
