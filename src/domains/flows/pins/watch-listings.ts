import type { Hub } from '../../../operations/hub.ts'
import { reportFault } from '../../../operations/report-fault.ts'
import { partOf } from '../../../platform/basics/part-of.ts'
import { checkServer } from './check-server.ts'

/** A list that goes on changing is looked at again after this, then after twice as long, and so on. */
const REST_MS = 2_000
const MAX_REST_MS = 600_000

interface Looking {
  /** Its list has changed since the look began. */
  is_due: boolean
  rest_ms: number
}

/**
 * From here on all pinned tools of a server are looked at when a session to it begins and when it says that its list has
 * changed: what has changed is closed before anybody calls it. The call itself looks at its own tool in any case.
 */
export function watchListings(hub: Hub): void {
  partOf(hub, openWatch)
}

function openWatch(hub: Hub): void {
  const looking = new Map<string, Looking>()
  const resting = new Map<NodeJS.Timeout, () => void>()
  const left = new AbortController()
  const rest = (ms: number) =>
    new Promise<void>((done) => {
      const timer = setTimeout(() => {
        resting.delete(timer)
        done()
      }, ms)
      timer.unref()
      resting.set(timer, done)
    })
  const look = async (server: string) => {
    const state: Looking = { is_due: true, rest_ms: REST_MS }
    looking.set(server, state)
    while (state.is_due && !left.signal.aborted) {
      state.is_due = false
      await checkServer(hub, server, left.signal).catch((error) => reportFault(hub.log, 'pin_check', error))
      if (!state.is_due) break
      await rest(state.rest_ms)
      state.rest_ms = Math.min(2 * state.rest_ms, MAX_REST_MS)
    }
    looking.delete(server)
  }
  const looks = new Set<Promise<void>>()
  hub.upstreams.onServer(({ kind, server }) => {
    const state = looking.get(server)
    // The session that a look itself has opened is looked at by that look.
    if (state) state.is_due ||= kind === 'tools_changed'
    else if (!left.signal.aborted) {
      const begun = look(server)
      looks.add(begun)
      void begun.finally(() => looks.delete(begun))
    }
  })
  hub.closing.push(async () => {
    left.abort()
    for (const [timer, done] of resting) {
      clearTimeout(timer)
      done()
    }
    await Promise.all(looks)
  })
}
