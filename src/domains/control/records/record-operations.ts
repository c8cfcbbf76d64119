import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { errorTable } from '../../../operations/errors.ts'
import type { Reader } from '../../../platform/storage/database.ts'
import { byIdErrors } from '../connections/connection-errors.ts'
import { requireConnection } from '../connections/connection-store.ts'
import { ConnectionId } from '../connections/define-connection-operation.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { findRecord, findStream, listRecords, listRemovals, listStreams } from './record-reads.ts'
import { ownerRecordSearch } from './record-search.ts'
import type { RecordRow, RemovalRow } from './record-store.ts'

const PAGE_LIMIT = 500
const PLACE = /^\d{1,15}$/

const recordErrors = errorTable({
  record_not_found: {
    status: 404,
    message: 'There is no such record.',
    hint: '`knowtation owner record list` shows the keys there are.',
  },
})

const Stream = z.string().min(1).max(100).describe('The stream, such as `notes`')
const RecordShape = z.strictObject({
  object: z.literal('owner_record'),
  stream: z.string(),
  key: z.string(),
  cursor: z.string(),
  updated_at: z.string(),
  data: z.record(z.string(), z.unknown()),
})
const RemovalShape = z.strictObject({
  object: z.literal('owner_record_removal'),
  stream: z.string(),
  key: z.string(),
  cursor: z.string(),
  removed_at: z.string(),
})

function showRecord({ stream, record_key, seq, updated_at, data_json }: RecordRow) {
  const data = JSON.parse(data_json) as Record<string, unknown>
  return { object: 'owner_record' as const, stream, key: record_key, cursor: String(seq), updated_at, data }
}

function showRemoval(stream: string, { record_key, seq, removed_at }: RemovalRow) {
  return { object: 'owner_record_removal' as const, stream, key: record_key, cursor: String(seq), removed_at }
}

export const OwnerStreamListOutput = z.strictObject({
  object: z.literal('list'),
  data: z.array(
    z.strictObject({
      object: z.literal('owner_stream'),
      stream: z.string(),
      record_count: z.int(),
      cursor: z.string(),
      updated_at: z.string(),
    }),
  ),
})

const ownerStreamList = defineOwnerOperation({
  name: 'owner_stream_list',
  summary: 'List the streams of a connection with how many records each has.',
  effect: 'read',
  authority: ownerSurface(),
  rest: 'GET /v1/owner/connections/{connection_id}/streams',
  cli: 'owner record streams <connection_id>',
  errors: byIdErrors,
  input: z.strictObject({ connection_id: ConnectionId }),
  output: OwnerStreamListOutput,
  present: async () => (await import('./present-records.ts')).presentStreams,
  async handle({ input, db }) {
    await requireConnection(db, input.connection_id)
    const found = await listStreams(db, input.connection_id)
    const data = found.map(({ last_seq, ...stream }) => ({
      object: 'owner_stream' as const,
      ...stream,
      cursor: String(last_seq),
    }))
    return { object: 'list' as const, data }
  },
})

export const OwnerRecordListOutput = z.strictObject({
  object: z.literal('list'),
  data: z.array(z.union([RecordShape, RemovalShape])),
  next_cursor: z.string().nullable(),
  changes_cursor: z.string().describe('Hand this to changes_since later'),
})

const ownerRecordList = defineOwnerOperation({
  name: 'owner_record_list',
  summary: 'List the records of a stream as they came or changed; with changes_since also what is gone.',
  effect: 'read',
  authority: ownerSurface(),
  rest: 'GET /v1/owner/connections/{connection_id}/streams/{stream}/records',
  cli: 'owner record list <connection_id> <stream>',
  errors: byIdErrors,
  input: z.strictObject({
    connection_id: ConnectionId,
    stream: Stream,
    cursor: z.string().regex(PLACE).optional().describe('`next_cursor` of the page before'),
    changes_since: z
      .string()
      .regex(PLACE)
      .optional()
      .describe('A cursor: what changed after it, removals too'),
    limit: z.int().min(1).max(PAGE_LIMIT).default(100).describe('At most so many'),
  }),
  output: OwnerRecordListOutput,
  present: async () => (await import('./present-records.ts')).presentRecords,
  async handle({ input, db, refuse }) {
    const { connection_id, stream, cursor, changes_since, limit } = input
    if (cursor !== undefined && changes_since !== undefined)
      return refuse('invalid_request', 'Give either cursor or changes_since.')
    await requireConnection(db, connection_id)
    const after = Number(changes_since ?? cursor ?? 0)
    const wanted = { connection_id, stream, after, limit }
    return changes_since === undefined ? listPlain(db, wanted) : listChanges(db, wanted)
  },
})

type Wanted = Parameters<typeof listRecords>[1]

async function listPlain(db: Reader, wanted: Wanted) {
  const newest = (await findStream(db, wanted.connection_id, wanted.stream))?.last_seq ?? 0
  const { records, next } = await listRecords(db, wanted)
  return {
    object: 'list' as const,
    data: records.map(showRecord),
    next_cursor: next === undefined ? null : String(next),
    changes_cursor: String(newest),
  }
}

/** What changed and what is gone, in the order in which it happened, cut where either list is cut. */
async function listChanges(db: Reader, wanted: Wanted) {
  const { records, next } = await listRecords(db, wanted)
  const gone = await listRemovals(db, { ...wanted, limit: wanted.limit + 1 })
  const cut = Math.min(next ?? Number.POSITIVE_INFINITY, cutOf(gone, wanted.limit))
  const all = [
    ...records.map((row) => ({ seq: row.seq, shown: showRecord(row) })),
    ...gone.map((row) => ({ seq: row.seq, shown: showRemoval(wanted.stream, row) })),
  ]
    .filter(({ seq }) => seq <= cut)
    .toSorted((one, other) => one.seq - other.seq)
  const page = all.slice(0, wanted.limit)
  const last = page.at(-1)?.seq ?? wanted.after
  const isMore = page.length < all.length || cut !== Number.POSITIVE_INFINITY
  return {
    object: 'list' as const,
    data: page.map(({ shown }) => shown),
    next_cursor: isMore ? String(last) : null,
    changes_cursor: String(last),
  }
}

function cutOf(gone: readonly RemovalRow[], limit: number): number {
  return gone.length > limit ? (gone[limit - 1]?.seq ?? 0) : Number.POSITIVE_INFINITY
}

const ownerRecordGet = defineOwnerOperation({
  name: 'owner_record_get',
  summary: 'Get one record by the key under which its source knows it.',
  effect: 'read',
  authority: ownerSurface(),
  rest: 'GET /v1/owner/connections/{connection_id}/streams/{stream}/record',
  cli: 'owner record get <connection_id> <stream> <key>',
  errors: { ...byIdErrors, ...recordErrors.pick('record_not_found') },
  input: z.strictObject({
    connection_id: ConnectionId,
    stream: Stream,
    key: z.string().min(1).max(512).describe('The key under which the source knows it'),
  }),
  output: RecordShape,
  async handle({ input, db, refuse }) {
    await requireConnection(db, input.connection_id)
    return showRecord((await findRecord(db, input)) ?? refuse('record_not_found'))
  },
})

/** What can be done with what was collected. */
export const recordOperations = [ownerStreamList, ownerRecordList, ownerRecordGet, ownerRecordSearch]
