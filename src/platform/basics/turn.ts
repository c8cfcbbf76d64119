import { performance } from 'node:perf_hooks'

let polls = -1
let turn = 0

/**
 * To be called where a request is read. What was looked at before the event loop last asked for input may be
 * older than the request: a look that was begun behind a commit or by a timer outlives that moment. Requests
 * that were read together share a turn.
 */
export function beginTurn(): void {
  const loop = performance.nodeTiming.uvMetricsInfo as { loopCount: number } | undefined
  // An older Node does not count: there every request has a turn of its own.
  if (loop !== undefined && loop.loopCount === polls) return
  polls = loop?.loopCount ?? polls
  turn++
}

/** Changes when a request was read: looks of a former turn count no more. */
export function currentTurn(): number {
  return turn
}
