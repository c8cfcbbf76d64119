import { Cron } from 'croner'

/** When a connection is collected: at the times of a cron line, or so long after the last time. */
export interface Timing {
  readonly cron: string | null
  readonly interval_seconds: number | null
  readonly timezone: string
}

/** What is wrong with a timing, in words for whoever set it. */
export class TimingFault extends Error {
  override readonly name = 'TimingFault'
}

export const INTERVAL_SECONDS = { min: 60, max: 2_678_400 } as const
export const CRON_CHARS = 120
const FIVE_FIELDS = /^\S+(?: \S+){4}$/

/** The next moment of a timing after `now`; throws a `TimingFault` where there is none. */
export function nextRunAt({ cron, interval_seconds, timezone }: Timing, now: Date): Date {
  checkTimezone(timezone)
  if (cron === null) return new Date(now.getTime() + (interval_seconds ?? INTERVAL_SECONDS.max) * 1_000)
  if (!FIVE_FIELDS.test(cron))
    throw new TimingFault('cron must have five fields: minute, hour, day, month, weekday.')
  const next = parseCron(cron, timezone).nextRun(now)
  if (!next) throw new TimingFault('cron names a moment that never comes.')
  return next
}

function parseCron(cron: string, timezone: string): Cron {
  try {
    return new Cron(cron, { timezone, mode: '5-part' })
  } catch {
    throw new TimingFault('cron is not a valid cron line.')
  }
}

function checkTimezone(timezone: string): void {
  try {
    new Date(0).toLocaleString('en', { timeZone: timezone })
  } catch {
    throw new TimingFault('timezone is not a known time zone, such as Europe/Paris or UTC.')
  }
}
