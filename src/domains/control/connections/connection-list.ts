import { z } from 'zod'
import { ownerSurface } from '../../../operations/authority.ts'
import { BEFORE_OLDEST, cutPage, findPlace } from '../../../operations/page-cursor.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'
import { byIdErrors } from './connection-errors.ts'
import { ConnectionShape } from './connection-shapes.ts'
import { CONNECTION_STATUSES, listConnections, requireListed } from './connection-store.ts'
import { ConnectionId, ConnectorId } from './define-connection-operation.ts'
import { prepareShowing, showConnection } from './show-connection.ts'

const PAGE_LIMIT = 200

export const OwnerConnectionListOutput = z.strictObject({
  object: z.literal('list'),
  data: z.array(ConnectionShape),
  next_cursor: z.string().nullable(),
})

/** The configured connections, in the order in which they were made. */
export const ownerConnectionList = defineOwnerOperation({
  name: 'owner_connection_list',
  summary: 'List the configured connections, oldest first, each with what can be done to it.',
  effect: 'read',
  authority: ownerSurface(),
  whileLocked: true,
  rest: 'GET /v1/owner/connections',
  cli: 'owner connection list',
  errors: {},
  input: z.strictObject({
    connector_id: ConnectorId.optional(),
    status: z.enum(CONNECTION_STATUSES).optional().describe('Only connections of this status'),
    cursor: z.string().max(200).optional().describe('Where the page before ended, as `next_cursor`'),
    limit: z.int().min(1).max(PAGE_LIMIT).default(100).describe('At most so many'),
  }),
  output: OwnerConnectionListOutput,
  present: async () => (await import('./present-connections.ts')).presentConnections,
  async handle({ input, db, hub, origin, refuse }) {
    const { connector_id, status, cursor, limit } = input
    const after =
      findPlace(cursor, BEFORE_OLDEST) ?? refuse('invalid_request', 'cursor is not one of this list.')
    const found = await listConnections(db, { connector_id, status, after }, limit + 1)
    const showing = await prepareShowing(hub, origin)
    const { items, next_cursor } = cutPage(found, limit, (row) => ({
      at: row.created_at,
      id: row.connection_id,
    }))
    return { object: 'list' as const, data: items.map((row) => showConnection(row, showing)), next_cursor }
  },
})

/** One connection. */
export const ownerConnectionShow = defineOwnerOperation({
  name: 'owner_connection_show',
  summary: 'Show one connection with what can be done to it.',
  effect: 'read',
  authority: ownerSurface(),
  whileLocked: true,
  rest: 'GET /v1/owner/connections/{connection_id}',
  cli: 'owner connection show <connection_id>',
  errors: byIdErrors,
  input: z.strictObject({ connection_id: ConnectionId }),
  output: ConnectionShape,
  present: async () => (await import('./present-connections.ts')).presentConnection,
  async handle({ input, db, hub, origin }) {
    const row = await requireListed(db, input.connection_id)
    return showConnection(row, await prepareShowing(hub, origin))
  },
})
