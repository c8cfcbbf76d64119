import type { ToolHost } from './tool-host.ts'
import type { ListTools } from './tool-list.ts'
import type { OnError } from './tool-result.ts'

/** How often it is looked whether a list has changed: a grant, a policy or a pin may change in another process, too. */
export const LOOK_EVERY_MS = 1_000

interface Watched<Caller> {
  readonly host: ToolHost<Caller>
  readonly caller: Caller
  readonly lists: ListTools
  readonly onError: OnError
  readonly everyMs?: number | undefined
}

/** Tells when the tools that a caller is offered have changed, until told to stop. */
export function watchList<Caller>(watched: Watched<Caller>, tell: () => void): () => void {
  const { host, caller, lists, onError, everyMs = LOOK_EVERY_MS } = watched
  let known: string | undefined
  let isLooking = false
  const look = async () => {
    if (isLooking) return
    isLooking = true
    try {
      const { text } = lists(await host.listTools(caller))
      if (known !== undefined && text !== known) tell()
      known = text
    } catch (error) {
      onError(error as Error)
    } finally {
      isLooking = false
    }
  }
  void look()
  const timer = setInterval(() => void look(), everyMs)
  timer.unref()
  return () => clearInterval(timer)
}
