import { z } from 'zod'
import { recordIndexOf } from '../../../platform/knowledge/records/record-index.ts'
import { sql, type Transaction } from '../../../platform/storage/database.ts'
import { clearAuthorization } from '../authorization/authorization-store.ts'
import { eraseRecords } from '../records/record-store.ts'
import { eraseRuns, hasActiveRun } from '../runs/run-store.ts'
import { DoneThenOutside } from '../spine/done-then-outside.ts'
import { connectionErrors } from './connection-errors.ts'
import { removeSecrets } from './connection-secrets.ts'
import { removeConnection } from './connection-store.ts'
import { defineConnectionOperation } from './define-connection-operation.ts'
import { giveBack, readReturnable } from './give-back.ts'

const removeSchedule = sql('DELETE FROM connection_schedules WHERE connection_id = ?')
const removeIntents = sql('DELETE FROM connection_intents WHERE connection_id = ?')
const clearDevices = sql('UPDATE owner_devices SET connection_id = NULL WHERE connection_id = ?')

/** What the delete of a connection took along. */
export interface DeletionSummary {
  deleted_record_count: number
  deleted_stream_count: number
  device_refs_cleared: number
  schedule_deleted: boolean
}

/**
 * Erases a connection with all that hangs on it, set by set, in the caller's transaction. Devices, the audit
 * log and the events stay.
 */
async function eraseConnection(tx: Transaction, connection_id: string): Promise<DeletionSummary> {
  const erased = await eraseRecords(tx, connection_id)
  await eraseRuns(tx, connection_id)
  const schedules = await tx.run(removeSchedule, connection_id)
  const device_refs_cleared = await tx.run(clearDevices, connection_id)
  await removeSecrets(tx, connection_id)
  await clearAuthorization(tx, connection_id)
  await tx.run(removeIntents, connection_id)
  await removeConnection(tx, connection_id)
  return { ...erased, device_refs_cleared, schedule_deleted: schedules > 0 }
}

const summaryOf = ({ deleted_record_count, deleted_stream_count, ...rest }: DeletionSummary) => ({
  deleted_record_count,
  deleted_stream_count,
  device_refs_cleared: rest.device_refs_cleared,
  schedule_deleted: rest.schedule_deleted,
})

/** Erases one connection: its configuration and all it collected. */
export const connectionDelete = defineConnectionOperation({
  verb: 'delete',
  summary: 'Delete {} with all it collected.',
  effect: 'delete',
  method: 'DELETE',
  path: '',
  cli: 'owner connection delete <connection_id>',
  errors: connectionErrors.pick('connection_run_active', 'delete_connection_unsupported'),
  extra: {},
  output: z.strictObject({
    object: z.literal('owner_connection_delete'),
    connection_id: z.string(),
    connector_id: z.string(),
    connector_key: z.string(),
    deleted: z.literal(true),
    deleted_record_count: z.int(),
    deleted_stream_count: z.int(),
    device_refs_cleared: z.int(),
    schedule_deleted: z.boolean(),
  }),
  spine: {
    event: 'owner_agent.connection.delete',
    operation: 'delete',
    data: (_input, output) => ({ deletion_summary: summaryOf(output) }),
  },
  async handle({ db, hub, refuse }, connection) {
    const { connection_id, connector_id } = connection
    if (!hub.config.control.delete_connection) return refuse('delete_connection_unsupported')
    if (await hasActiveRun(db, connection_id)) return refuse('connection_run_active')
    const secrets = await readReturnable(db, hub, connection)
    // First of all: should the rest fail, what was erased is taken in again.
    await recordIndexOf(hub).erase(db, connection_id)
    const summary = await eraseConnection(db, connection_id)
    const done = {
      object: 'owner_connection_delete' as const,
      connection_id,
      connector_id,
      connector_key: connector_id,
      deleted: true as const,
      ...summary,
    }
    const made = { kind: 'connection', id: connection.connection_id }
    return secrets ? new DoneThenOutside(done, made, () => giveBack(hub, connection, secrets)) : done
  },
})
