import type { StateName } from '../../parts/status'

/** How a connection fares, and how a run stands, in the signs of the console. */
export const HEALTH: Readonly<Record<string, StateName>> = {
  healthy: 'intact',
  idle: 'off',
  unknown: 'off',
  degraded: 'warning',
  cooling_off: 'warning',
  needs_attention: 'waits',
  blocked: 'failed',
}
export const RUN: Readonly<Record<string, StateName>> = {
  queued: 'held',
  running: 'running',
  cancelling: 'running',
  succeeded: 'allowed',
  failed: 'failed',
  cancelled: 'off',
}

const UNITS = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
] as const

/** When something is collected by itself, as a person says it. */
export function timingWords({
  cron,
  interval_seconds,
  timezone,
}: {
  cron: string | null
  interval_seconds: number | null
  timezone: string
}): string {
  if (cron !== null) return `at ${cron} (${timezone})`
  const seconds = interval_seconds ?? 0
  const [unit, size] = UNITS.find(([, one]) => seconds % one === 0) ?? (['second', 1] as const)
  const count = seconds / size
  return count === 1 ? `each ${unit}` : `every ${count} ${unit}s`
}

/** Who began something, in words. */
export function beginnerWords(created_by: string): string {
  const [kind = '', id = ''] = created_by.split(':')
  if (kind === 'owner_agent') return `your agent ${id}`
  return kind === 'owner_session' ? 'you, in a browser' : 'you, at the hub'
}
