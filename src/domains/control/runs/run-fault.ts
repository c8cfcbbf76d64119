import type { System } from '../../../platform/basics/system.ts'
import { SOURCE_FAULTS, type SourceFault, type SourceFaultCode } from '../connectors/connector.ts'
import type { RunFault } from './run-moves.ts'

const TEXT_CHARS = 300
const FIRST_WAIT_MS = 5_000
const LONGEST_WAIT_MS = 3_600_000

/** A fault that a collector told of; a connector of the owner's own may bring its own copy of the class. */
export function asSourceFault(error: unknown): SourceFault | undefined {
  const { name, code } = Object(error) as { name?: unknown; code?: unknown }
  const isOne = name === 'SourceFault' && SOURCE_FAULTS.includes(code as SourceFaultCode)
  return isOne ? (error as SourceFault) : undefined
}

/** What is kept and shown of a fault: one line. */
export function faultOf({ code, message }: SourceFault): RunFault {
  return { code, text: message.replaceAll(/[\p{Cc}\p{Cs}\s]+/gu, ' ').slice(0, TEXT_CHARS) }
}

/** When to try again: as the source asks, else after twice as long each time, spread out. */
export function retryAt(system: System, attempt: number, retry_after_seconds?: number): string {
  const doubled = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** (attempt - 1))
  const chance = Number.parseInt(system.random(4), 16) / 0xffff_ffff
  const asked_ms = Math.min(LONGEST_WAIT_MS, (retry_after_seconds ?? 0) * 1_000)
  const wait_ms = asked_ms > 0 ? asked_ms : doubled * (0.5 + chance / 2)
  return new Date(system.now().getTime() + wait_ms).toISOString()
}
