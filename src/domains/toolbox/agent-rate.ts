import type { Hub } from '../../operations/hub.ts'
import { keptLately } from '../../platform/basics/kept-lately.ts'
import { keptWith } from '../../platform/basics/kept-with.ts'
import { windowCounter } from '../../platform/identity/rate-limits.ts'
import type { ToolCall } from './tool.ts'
import { SUGGESTIONS } from './tool-errors.ts'
import { ToolFault } from './tool-fault.ts'

/** Limits that are counted at once; projects have few different ones. */
const LIMITS_KEPT = 100

/** A counter of calls for each limit. */
const countersOf = keptWith(
  ({ system }: Hub) => keptLately(LIMITS_KEPT, (limit) => windowCounter(Number(limit), system.now)),
  ({ db }) => db,
)

/** Refuses a call of an agent that has had more in this minute than its project allows. */
export function checkAgentRate(hub: Hub, { context, policy }: ToolCall<unknown>): void {
  const limit = policy.calls_per_minute
  if (limit === undefined) return
  const wait = countersOf(hub)(String(limit))(`${context.project_root}|${context.agent_id}`)
  if (wait === 0) return
  const message = `This agent may make ${limit} calls a minute; wait ${wait} s.`
  throw new ToolFault('RateLimitExceeded', message, SUGGESTIONS.RateLimitExceeded, {
    retry_after_seconds: wait,
  })
}
