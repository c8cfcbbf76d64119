import { z } from 'zod'
import { connectionErrors } from './connection-errors.ts'
import { ConnectionShape } from './connection-shapes.ts'
import { renameConnection, requireListed, setConnectionStatus } from './connection-store.ts'
import { defineConnectionOperation } from './define-connection-operation.ts'
import { prepareShowing, showConnection } from './show-connection.ts'

/** Counted in characters as a person counts them, nearly: not in halves of them. */
const DisplayName = z
  .string()
  .refine((name) => name.trim() !== '' && [...name].length <= 200, 'must be 1 to 200 characters long')
  .refine((name) => !/[\p{Cc}\p{Cs}]/u.test(name), 'must be one line')
  .describe('What the owner calls the connection, 1 to 200 characters')

/** Gives a connection the owner's name for it. */
export const connectionRename = defineConnectionOperation({
  verb: 'rename',
  summary: 'Give {} another display name.',
  effect: 'update',
  idempotent: true,
  method: 'PATCH',
  path: '',
  cli: 'owner connection rename <connection_id> <display_name>',
  errors: {},
  extra: { display_name: DisplayName },
  output: ConnectionShape,
  present: async () => (await import('./present-connections.ts')).presentConnection,
  spine: {
    event: 'owner_agent.connection.rename',
    operation: 'rename_connection',
    data: (_input, { label_status }) => ({ display_name_supplied: true, label_status }),
  },
  async handle({ input, db, hub, now, origin }, { connection_id }) {
    await renameConnection(db, connection_id, input.display_name, now)
    return showConnection(await requireListed(db, connection_id), await prepareShowing(hub, origin))
  },
})

const statusOutput = <const Name extends string>(object: Name) =>
  z.strictObject({
    object: z.literal(object),
    connection_id: z.string(),
    connector_id: z.string(),
    connector_key: z.string(),
    status: z.enum(['active', 'revoked']),
    revoked_at: z.string().nullable(),
  })

/** Stops a connection for good. Nothing of it is erased. */
export const connectionRevoke = defineConnectionOperation({
  verb: 'revoke',
  summary: 'Revoke {}: it collects no more; what it collected stays.',
  effect: 'update',
  method: 'POST',
  path: '/revoke',
  whileLocked: true,
  cli: 'owner connection revoke <connection_id>',
  errors: connectionErrors.pick('connector_instance_inactive'),
  extra: {},
  output: statusOutput('owner_connection_revoke'),
  spine: { event: 'owner_agent.connection.revoke', operation: 'revoke' },
  async handle({ db, now, refuse }, { connection_id, connector_id, status }) {
    if (status === 'revoked') return refuse('connector_instance_inactive')
    await setConnectionStatus(db, connection_id, 'revoked', now)
    return {
      object: 'owner_connection_revoke' as const,
      connection_id,
      connector_id,
      connector_key: connector_id,
      status: 'revoked' as const,
      revoked_at: now.toISOString(),
    }
  },
})

/** Takes a revoked connection up again. */
export const connectionReactivate = defineConnectionOperation({
  verb: 'reactivate',
  summary: 'Take {} up again that was revoked.',
  effect: 'update',
  method: 'POST',
  path: '/reactivate',
  cli: 'owner connection reactivate <connection_id>',
  errors: connectionErrors.pick('connector_instance_not_revoked'),
  extra: {},
  among: 'revoked',
  output: statusOutput('owner_connection_reactivate'),
  spine: { event: 'owner_agent.connection.reactivate', operation: 'reactivate' },
  async handle({ db, now, refuse }, { connection_id, connector_id, status }) {
    if (status !== 'revoked') return refuse('connector_instance_not_revoked')
    await setConnectionStatus(db, connection_id, 'active', now)
    return {
      object: 'owner_connection_reactivate' as const,
      connection_id,
      connector_id,
      connector_key: connector_id,
      status: 'active' as const,
      revoked_at: null,
    }
  },
})
