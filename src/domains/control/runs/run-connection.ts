import { z } from 'zod'
import { traceIdOf } from '../../../operations/call.ts'
import { connectionErrors } from '../connections/connection-errors.ts'
import { defineConnectionOperation } from '../connections/define-connection-operation.ts'
import { runErrors } from './run-errors.ts'
import { startRun } from './run-store.ts'

export const ConnectionRunOutput = z.strictObject({
  object: z.literal('owner_connection_run'),
  run_id: z.string(),
  trace_id: z.string(),
  connection_id: z.string(),
  connector_id: z.string(),
  connector_key: z.string(),
  status: z.literal('queued'),
})

/** Collects now, outside the schedule. */
export const connectionRun = defineConnectionOperation({
  verb: 'run',
  summary: 'Collect {} now, outside its schedule.',
  effect: 'create',
  status: 202,
  method: 'POST',
  path: '/run',
  cli: 'owner run start <connection_id>',
  errors: {
    ...connectionErrors.pick('connector_instance_inactive'),
    ...runErrors.pick('run_already_active'),
  },
  extra: {},
  output: ConnectionRunOutput,
  present: async () => (await import('./present-runs.ts')).presentStartedRun,
  spine: {
    event: 'owner_agent.connection.run',
    operation: 'run_now',
    data: (_input, { run_id }) => ({ run_id, forced: false }),
  },
  async handle({ db, hub, caller, requestId, refuse }, { connection_id, connector_id }) {
    const started = await startRun(db, hub, { connection_id, cause: 'owner', requested_by: caller.id })
    if (started === 'inactive') return refuse('connector_instance_inactive')
    if (started === 'run_already_active') return refuse('run_already_active')
    return {
      object: 'owner_connection_run' as const,
      run_id: started.run_id,
      trace_id: traceIdOf(requestId()),
      connection_id,
      connector_id,
      connector_key: connector_id,
      status: 'queued' as const,
    }
  },
})
