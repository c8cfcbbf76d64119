import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { nextRunAt, TimingFault } from './next-run.ts'
import { oneOf, timingInput } from './timing-input.ts'

const TIMES_TOLD = 5

/** When a schedule would collect, before it is set: a cron line is easily written wrong. */
export const ownerSchedulePreview = defineOwnerOperation({
  name: 'owner_schedule_preview',
  summary: 'Tell the next times of a cron line or an interval, before a schedule is set to it.',
  effect: 'read',
  authority: ownerSurface({ session_only: true }),
  whileLocked: true,
  rest: 'GET /v1/owner/schedule-preview',
  cli: 'owner schedule preview',
  errors: {},
  input: z.strictObject(timingInput),
  output: z.strictObject({ object: z.literal('owner_schedule_preview'), times: z.array(z.string()) }),
  async handle({ input, now, refuse }) {
    const timing = oneOf(input) ?? refuse('BAD_REQUEST', 'Give either cron or interval_seconds.')
    const times: string[] = []
    try {
      for (let at = now; times.length < TIMES_TOLD; times.push(at.toISOString())) at = nextRunAt(timing, at)
    } catch (error) {
      if (!(error instanceof TimingFault)) throw error
      if (times.length === 0) return refuse('BAD_REQUEST', error.message)
    }
    return { object: 'owner_schedule_preview' as const, times }
  },
})
