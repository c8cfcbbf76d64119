import type { Log } from '../platform/basics/plain-log.ts'
import { Refusal } from './errors.ts'

const PLACE_LINES = 6

/** An error's message may quote what was sent, so the log gets its name and place only. */
export function reportFault(log: Log, operation: string, error: unknown): void {
  const fault = error instanceof Error ? error : new Error('not an error')
  const cause = fault.cause instanceof Error ? (fault.cause as NodeJS.ErrnoException).code : undefined
  // Taken out whole: a line of the message that looks like a place would be taken for one.
  const place = (fault.stack ?? '')
    .replace(fault.message, () => '')
    .split('\n')
    .filter((line) => line.startsWith('    at '))
    .slice(0, PLACE_LINES)
  const undeclared = fault instanceof Refusal ? fault.code : undefined
  log.error({ operation, fault: fault.name, cause, undeclared, place }, 'call failed')
}
