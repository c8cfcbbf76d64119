import type { RunRow } from '../runs/run-store.ts'
import type { ConnectionRow } from './connection-store.ts'

export const HEALTHS = [
  'healthy',
  'degraded',
  'blocked',
  'cooling_off',
  'idle',
  'needs_attention',
  'unknown',
] as const
export type Health = (typeof HEALTHS)[number]

/** After so many failed runs in a row, nothing suggests that the next will be better. */
const BLOCKED_AFTER = 3

/** Faults that go away only when the owner does something. */
const OWNER_FAULTS: readonly string[] = ['needs_attention', 'refused', 'not_found']
const PASSING_FAULTS: readonly string[] = ['rate_limited']

type Known = Pick<RunRow, 'state' | 'fault_code' | 'attempt'>

/** How a connection fares, by its newest runs. */
export function healthOf(connection: Pick<ConnectionRow, 'status'>, newest_first: readonly Known[]): Health {
  if (connection.status === 'revoked') return 'blocked'
  const [latest] = newest_first
  if (!latest) return 'idle'
  if (latest.state === 'queued' && latest.fault_code !== null) return 'cooling_off'
  const ended = newest_first.filter(({ state }) => state === 'succeeded' || state === 'failed')
  const [last] = ended
  if (!last) return newest_first.every(({ state }) => state === 'cancelled') ? 'idle' : 'unknown'
  if (last.state === 'succeeded') return 'healthy'
  if (OWNER_FAULTS.includes(last.fault_code ?? '')) return 'needs_attention'
  if (PASSING_FAULTS.includes(last.fault_code ?? '')) return 'cooling_off'
  const good = ended.findIndex(({ state }) => state === 'succeeded')
  return good < 0
    ? ended.length >= BLOCKED_AFTER
      ? 'blocked'
      : 'degraded'
    : good >= BLOCKED_AFTER
      ? 'blocked'
      : 'degraded'
}

const VERDICTS: Readonly<Record<Health, string>> = {
  healthy: 'The last run collected what there was.',
  degraded: 'The last run failed. The next one may succeed.',
  blocked: 'Nothing is collected: the connection is revoked, or its runs keep failing.',
  cooling_off: 'The source asked for a pause, or a run waits to be tried again.',
  idle: 'Nothing was collected yet.',
  needs_attention: 'The owner has to do something: the source takes the credentials or the settings no more.',
  unknown: 'The first run has not ended yet.',
}

/** A sentence for people. */
export function verdictOf(health: Health): string {
  return VERDICTS[health]
}

/** What would make it better, where something would. */
export function recoveryOf(health: Health, { status }: Pick<ConnectionRow, 'status'>) {
  if (status === 'revoked') return { action: 'reactivate_connection', owner_required: false }
  if (health === 'needs_attention' || health === 'blocked')
    return { action: 'initiate_connection', owner_required: true }
  return health === 'degraded' ? { action: 'run_connection', owner_required: false } : null
}
