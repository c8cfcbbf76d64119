import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import type { Hub } from '../../../operations/hub.ts'
import { OwnerRefusal } from '../../../operations/owner-contract.ts'
import { cutPage, findPlace } from '../../../operations/page-cursor.ts'
import type { Reader } from '../../../platform/storage/database.ts'
import { byIdErrors } from '../connections/connection-errors.ts'
import { requireConnection } from '../connections/connection-store.ts'
import { ConnectionId } from '../connections/define-connection-operation.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { runErrors } from './run-errors.ts'
import { listRunEvents } from './run-events.ts'
import { RunEventShape, RunId, RunShape, showRun, showRunEvent } from './run-shapes.ts'
import { isEnded } from './run-state.ts'
import { findRun, listRuns, type RunRow } from './run-store.ts'

const PAGE_LIMIT = 200
const EVENT_LIMIT = 500
/** The longest that a call waits for something to happen, and how often it looks. */
const WAIT_SECONDS = 25
const LOOK_EVERY_MS = 300

const RUN_ERRORS = { ...byIdErrors, ...runErrors.pick('run_not_found') }

/** A run of this connection; one of another is not found. */
async function requireRun(db: Reader, connection_id: string, run_id: string): Promise<RunRow> {
  await requireConnection(db, connection_id)
  const row = await findRun(db, run_id)
  if (row?.connection_id !== connection_id) throw new OwnerRefusal('run_not_found')
  return row
}

export const OwnerRunListOutput = z.strictObject({
  object: z.literal('list'),
  data: z.array(RunShape),
  next_cursor: z.string().nullable(),
})

export const ownerRunList = defineOwnerOperation({
  name: 'owner_run_list',
  summary: 'List the runs of a connection, newest first.',
  effect: 'read',
  authority: ownerSurface(),
  rest: 'GET /v1/owner/connections/{connection_id}/runs',
  cli: 'owner run list <connection_id>',
  errors: byIdErrors,
  input: z.strictObject({
    connection_id: ConnectionId,
    cursor: z.string().max(200).optional().describe('Where the page before ended, as `next_cursor`'),
    limit: z.int().min(1).max(PAGE_LIMIT).default(50).describe('At most so many'),
  }),
  output: OwnerRunListOutput,
  present: async () => (await import('./present-runs.ts')).presentCollectionRuns,
  async handle({ input, db, now, refuse }) {
    const { connection_id, cursor, limit } = input
    await requireConnection(db, connection_id)
    const after = findPlace(cursor) ?? refuse('invalid_request', 'cursor is not one of this list.')
    const found = await listRuns(db, { connection_id, after, limit: limit + 1 })
    const { items, next_cursor } = cutPage(found, limit, (row) => ({ at: row.queued_at, id: row.run_id }))
    return { object: 'list' as const, data: items.map((row) => showRun(row, now)), next_cursor }
  },
})

export const ownerRunShow = defineOwnerOperation({
  name: 'owner_run_show',
  summary: 'Show one run: how far it is, how fast, and what went wrong.',
  effect: 'read',
  authority: ownerSurface(),
  rest: 'GET /v1/owner/connections/{connection_id}/runs/{run_id}',
  cli: 'owner run show <connection_id> <run_id>',
  errors: RUN_ERRORS,
  input: z.strictObject({ connection_id: ConnectionId, run_id: RunId }),
  output: RunShape,
  present: async () => (await import('./present-runs.ts')).presentCollectionRun,
  handle: async ({ input, db, now }) => showRun(await requireRun(db, input.connection_id, input.run_id), now),
})

export const OwnerRunWatchOutput = z.strictObject({
  object: z.literal('owner_run_events'),
  run: RunShape,
  data: z.array(RunEventShape),
  next_after: z.int(),
})

export const ownerRunWatch = defineOwnerOperation({
  name: 'owner_run_watch',
  summary: 'Follow a run: its events after a place, waiting for the next ones where there are none yet.',
  effect: 'read',
  authority: ownerSurface(),
  waits: true,
  rest: 'GET /v1/owner/connections/{connection_id}/runs/{run_id}/events',
  cli: 'owner run watch <connection_id> <run_id>',
  errors: RUN_ERRORS,
  input: z.strictObject({
    connection_id: ConnectionId,
    run_id: RunId,
    after: z.int().min(0).default(0).describe('`next_after` of the answer before'),
    wait_seconds: z.int().min(0).max(WAIT_SECONDS).default(0).describe('Wait so long for an event'),
  }),
  output: OwnerRunWatchOutput,
  present: async () => (await import('./present-runs.ts')).presentWatchedRun,
  async handle({ input, db, hub, signal }) {
    const { connection_id, run_id, after, wait_seconds } = input
    const row = await requireRun(db, connection_id, run_id)
    const { run, events } = await followRun(hub, row, { after, wait_seconds, signal })
    return {
      object: 'owner_run_events' as const,
      run: showRun(run, hub.system.now()),
      data: events.map(showRunEvent),
      next_after: events.at(-1)?.seq ?? after,
    }
  },
})

/** The events after a place, as soon as there are some, the run has ended, or the time is up. */
async function followRun(
  hub: Hub,
  row: RunRow,
  { after, wait_seconds, signal }: { after: number; wait_seconds: number; signal: AbortSignal },
) {
  const until = performance.now() + wait_seconds * 1_000
  let run = row
  for (;;) {
    // The run is read first: what ended it is then among its events.
    run = (await findRun(hub.db, row.run_id)) ?? run
    const events = await listRunEvents(hub.db, { run_id: row.run_id, after, limit: EVENT_LIMIT })
    const left = until - performance.now()
    if (events.length > 0 || isEnded(run.state) || left <= 0 || signal.aborted) return { run, events }
    await pause(Math.min(left, LOOK_EVERY_MS))
  }
}
