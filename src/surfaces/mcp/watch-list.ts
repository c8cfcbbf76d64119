import { promptsFor } from './other-handlers.ts'
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

/** What a caller is offered as a list that may become another one. */
export type WatchedKind = 'tools' | 'prompts'

/** Tells when the tools or the prompts that a caller is offered have changed, until told to stop. */
export function watchList<Caller>(watched: Watched<Caller>, tell: (kind: WatchedKind) => void): () => void {
  const { host, caller, lists, onError, everyMs = LOOK_EVERY_MS } = watched
  const known = new Map<WatchedKind, string>()
  let isLooking = false
  const compare = (kind: WatchedKind, text: string) => {
    const former = known.get(kind)
    known.set(kind, text)
    if (former !== undefined && text !== former) tell(kind)
  }
  const look = async () => {
    if (isLooking) return
    isLooking = true
    try {
      compare('tools', lists(await host.listTools(caller)).text)
      const prompts = promptsFor(host, caller)
      if (prompts?.mark) compare('prompts', await prompts.mark(caller))
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
