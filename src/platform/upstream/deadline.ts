import type { OnProgress } from './mcp/progress.ts'
import { UpstreamFailure } from './upstream-failure.ts'

/** How far a call has come. Set true the moment its request is handed to the system. */
export interface Progress {
  sent: boolean
}

/** When a call has to be over: by the clock, or because nobody waits for it any more. */
export interface Deadline {
  readonly signal: AbortSignal | undefined
  remaining_ms(): number
}

/** What a call, or a question of the hub's own, is held to. */
export interface Bounds {
  readonly deadline: Deadline
  readonly progress: Progress
  /** What this request shows for itself, where that changes while a session goes on. */
  readonly authorization?: string | undefined
  /** Hears how far the tool says it has come. */
  readonly onProgress?: OnProgress | undefined
  /** The span of the call, for what is called to go on with. */
  readonly traceparent?: string | undefined
}

export function startDeadline(timeout_seconds: number, signal: AbortSignal | undefined): Deadline {
  const end = performance.now() + timeout_seconds * 1000
  return { signal, remaining_ms: () => Math.max(1, end - performance.now()) }
}

/** Waits for shared work, such as a start, that goes on for others when this call gives up. */
export function waitFor<Value>(work: Promise<Value>, deadline: Deadline, progress: Progress): Promise<Value> {
  return new Promise((resolve, reject) => {
    const stop = onDeadline(deadline, (reason) => reject(new UpstreamFailure(reason, progress.sent)))
    work.then(resolve, reject).finally(stop)
  })
}

/** Calls back once when the deadline comes; the returned function takes that back. */
export function onDeadline(deadline: Deadline, act: (reason: 'timeout' | 'cancelled') => void): () => void {
  const { signal } = deadline
  const cancel = () => finish('cancelled')
  const timer = setTimeout(() => finish('timeout'), deadline.remaining_ms())
  const stop = () => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', cancel)
  }
  function finish(reason: 'timeout' | 'cancelled') {
    stop()
    act(reason)
  }
  if (signal?.aborted) queueMicrotask(cancel)
  else signal?.addEventListener('abort', cancel)
  return stop
}
