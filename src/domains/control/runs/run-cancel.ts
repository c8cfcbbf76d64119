import { z } from 'zod'
import { ownerSession } from '../../../operations/authority.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { runErrors } from './run-errors.ts'
import { cancelRun } from './run-moves.ts'
import { RunId, RunShape, showRun } from './run-shapes.ts'
import { isEnded } from './run-state.ts'
import { listLiveRuns, lockRun } from './run-store.ts'

const LIVE_LIMIT = 200

/** Stops one run. What it collected stays, and so do its schedule and its connection. */
export const ownerRunCancel = defineOwnerOperation({
  name: 'owner_run_cancel',
  summary: 'Cancel one run that has not ended. What it has collected stays, and nothing else is touched.',
  effect: 'update',
  idempotent: true,
  authority: ownerSession(),
  whileLocked: true,
  rest: 'POST /_ref/runs/{run_id}/cancel',
  cli: 'owner run cancel <run_id>',
  errors: runErrors.pick('run_not_found', 'run_not_active'),
  // Told of a run that there is: what was asked for may be anything.
  made: ({ run_id }) => ({ kind: 'run', id: run_id }),
  input: z.strictObject({ run_id: RunId }),
  output: RunShape,
  present: async () => (await import('./present-runs.ts')).presentCollectionRun,
  spine: {
    event: 'owner_agent.run.cancel',
    operation: 'cancel_run',
    object: ({ run_id }, output) => ({ type: 'run', id: run_id, connection_id: output?.connection_id }),
  },
  async handle({ input, db, hub, now, refuse }) {
    const row = (await lockRun(db, input.run_id)) ?? refuse('run_not_found')
    if (isEnded(row.state)) return refuse('run_not_active')
    return showRun(await cancelRun(db, hub, row), now)
  },
})

export const OwnerRunLiveListOutput = z.strictObject({
  object: z.literal('list'),
  data: z.array(RunShape),
  truncated: z.boolean(),
})

export const ownerRunLiveList = defineOwnerOperation({
  name: 'owner_run_live_list',
  summary: 'List the runs of all connections that are under way or wait.',
  effect: 'read',
  authority: ownerSession(),
  whileLocked: true,
  rest: 'GET /_ref/runs',
  cli: 'owner run live',
  errors: {},
  input: z.strictObject({}),
  output: OwnerRunLiveListOutput,
  present: async () => (await import('./present-runs.ts')).presentCollectionRuns,
  async handle({ db, now }) {
    const found = await listLiveRuns(db, LIVE_LIMIT + 1)
    const data = found.slice(0, LIVE_LIMIT).map((row) => showRun(row, now))
    return { object: 'list' as const, data, truncated: found.length > LIVE_LIMIT }
  },
})
