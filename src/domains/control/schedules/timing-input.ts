import { z } from 'zod'
import { CRON_CHARS, INTERVAL_SECONDS, type Timing } from './next-run.ts'

const TIMEZONE_CHARS = 64

/** How a timing is given. */
export const timingInput = {
  cron: z.string().max(CRON_CHARS).optional().describe('Five fields: minute hour day month weekday'),
  interval_seconds: z
    .int()
    .min(INTERVAL_SECONDS.min)
    .max(INTERVAL_SECONDS.max)
    .optional()
    .describe('So long after the last time'),
  timezone: z.string().max(TIMEZONE_CHARS).default('UTC').describe('Where the cron line is meant'),
}

/** What was given as a timing; undefined where both ways were given, or none. */
export function oneOf(given: {
  cron?: string | undefined
  interval_seconds?: number | undefined
  timezone: string
}): Timing | undefined {
  const { cron = null, interval_seconds = null, timezone } = given
  return (cron === null) === (interval_seconds === null) ? undefined : { cron, interval_seconds, timezone }
}
