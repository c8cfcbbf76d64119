import type { System } from '../../../platform/basics/system.ts'
import { makeEvent } from './cloud-event.ts'
import { VERIFY_TYPE } from './event-types.ts'

/** The event by which a receiver is asked whether it wants to be one: it answers with the challenge. */
export function makeVerification(system: System, subscription_id: string): string {
  const data = { challenge: system.random(32) }
  const content = { type: VERIFY_TYPE, subject: subscription_id, data }
  return makeEvent(system, subscription_id, 0, content).event_json
}

/** The id and the challenge of such an event. */
export function readVerification(event_json: string): { id: string; challenge: string } {
  const { id, data } = JSON.parse(event_json) as { id: string; data: { challenge: string } }
  return { id, challenge: data.challenge }
}

/** Whether an answer gives the challenge back, as `{"challenge": "…"}`. */
export function isEcho(answer: string, challenge: string): boolean {
  try {
    const found = JSON.parse(answer) as { challenge?: unknown } | null
    return found?.challenge === challenge
  } catch {
    return false
  }
}
