import { z } from 'zod'
import { connectionErrors } from '../connections/connection-errors.ts'
import { ScheduleShape } from '../connections/connection-shapes.ts'
import type { ConnectionRow } from '../connections/connection-store.ts'
import { defineConnectionOperation } from '../connections/define-connection-operation.ts'
import type { JsonObject } from '../connectors/connector.ts'
import { runErrors } from '../runs/run-errors.ts'
import { TimingFault } from './next-run.ts'
import { ownerSchedulePreview } from './schedule-preview.ts'
import {
  enableSchedule,
  findSchedule,
  putSchedule,
  removeSchedule,
  type ScheduleRow,
} from './schedule-store.ts'
import { oneOf, timingInput } from './timing-input.ts'

export const ScheduleAnswer = z.strictObject({
  object: z.literal('owner_connection_schedule'),
  connection_id: z.string(),
  connector_id: z.string(),
  connector_key: z.string(),
  schedule: ScheduleShape,
})

const event = 'owner_agent.connection.schedule' as const

function show(
  { connection_id, connector_id }: ConnectionRow,
  row: ScheduleRow,
): z.infer<typeof ScheduleAnswer> {
  const { enabled, interval_seconds, cron, timezone, next_run_at } = row
  return {
    object: 'owner_connection_schedule',
    connection_id,
    connector_id,
    connector_key: connector_id,
    schedule: { enabled: enabled === 1, interval_seconds, cron, timezone, next_run_at },
  }
}

/** Sets when a connection collects by itself. */
const scheduleSet = defineConnectionOperation({
  verb: 'schedule_set',
  summary: 'Set when {} is collected: by a cron line or an interval.',
  effect: 'update',
  idempotent: true,
  method: 'PUT',
  path: '/schedule',
  cli: 'owner schedule set <connection_id>',
  errors: connectionErrors.pick('connector_instance_inactive'),
  extra: timingInput,
  output: ScheduleAnswer,
  present: async () => (await import('../connections/present-connections.ts')).presentSchedule,
  spine: {
    event,
    operation: 'set_schedule',
    data: ({ cron, interval_seconds }): JsonObject => ({
      cron: cron ?? null,
      interval_seconds: interval_seconds ?? null,
    }),
  },
  async handle({ input, db, now, refuse }, connection) {
    if (connection.status !== 'active') return refuse('connector_instance_inactive')
    const timing = oneOf(input) ?? refuse('BAD_REQUEST', 'Give either cron or interval_seconds.')
    try {
      await putSchedule(db, connection.connection_id, timing, now)
    } catch (error) {
      if (error instanceof TimingFault) return refuse('BAD_REQUEST', error.message)
      throw error
    }
    return show(connection, (await findSchedule(db, connection.connection_id)) as ScheduleRow)
  },
})

const enabling = (verb: 'pause' | 'resume', summary: `${string}{}${string}`) =>
  defineConnectionOperation({
    verb: `schedule_${verb}`,
    summary,
    effect: 'update',
    idempotent: true,
    method: 'POST',
    path: `/schedule/${verb}`,
    cli: `owner schedule ${verb} <connection_id>`,
    errors: {
      ...connectionErrors.pick('connector_instance_inactive'),
      ...runErrors.pick('connection_not_scheduled'),
    },
    extra: {},
    output: ScheduleAnswer,
    present: async () => (await import('../connections/present-connections.ts')).presentSchedule,
    spine: { event, operation: `${verb}_schedule` },
    async handle({ db, now, refuse }, connection) {
      if (connection.status !== 'active') return refuse('connector_instance_inactive')
      const found = (await findSchedule(db, connection.connection_id)) ?? refuse('connection_not_scheduled')
      await enableSchedule(db, found, verb === 'resume', now)
      return show(connection, (await findSchedule(db, connection.connection_id)) as ScheduleRow)
    },
  })

const schedulePause = enabling('pause', 'Pause the schedule of {}: it keeps its times and does not run.')
const scheduleResume = enabling('resume', 'Resume the schedule of {}.')

/** Takes the schedule of a connection away. */
const scheduleDelete = defineConnectionOperation({
  verb: 'schedule_delete',
  summary: 'Take the schedule of {} away.',
  effect: 'delete',
  status: 204,
  method: 'DELETE',
  path: '/schedule',
  cli: 'owner schedule delete <connection_id>',
  errors: runErrors.pick('schedule_not_found'),
  extra: {},
  output: z.strictObject({
    object: z.literal('owner_connection_schedule_delete'),
    connection_id: z.string(),
    connector_id: z.string(),
    deleted: z.literal(true),
  }),
  spine: { event, operation: 'delete_schedule' },
  async handle({ db, refuse }, { connection_id, connector_id }) {
    if (!(await removeSchedule(db, connection_id))) return refuse('schedule_not_found')
    return {
      object: 'owner_connection_schedule_delete' as const,
      connection_id,
      connector_id,
      deleted: true as const,
    }
  },
})

/** What can be done with schedules. */
export const scheduleOperations = [
  ...scheduleSet,
  ...schedulePause,
  ...scheduleResume,
  ...scheduleDelete,
  ownerSchedulePreview,
]
