import { z } from 'zod'
import { ownerSession } from '../../../operations/authority.ts'
import { sql } from '../../../platform/storage/database.ts'
import { defineOwnerOperation } from '../define-owner-operation.ts'

const LIST_LIMIT = 200

interface DeviceRow {
  device_id: string
  device_name: string
  enrolled_at: string
  connection_id: string | null
}

const list = sql<DeviceRow>(
  `SELECT device_id, device_name, enrolled_at, connection_id FROM owner_devices
   ORDER BY enrolled_at DESC, device_id DESC LIMIT ?`,
)

export const OwnerDeviceListOutput = z.strictObject({
  object: z.literal('list'),
  data: z.array(
    z.strictObject({
      object: z.literal('owner_device'),
      device_id: z.string(),
      device_name: z.string(),
      enrolled_at: z.string(),
      connection_id: z.string().nullable(),
    }),
  ),
  truncated: z.boolean(),
})

/** Machines stay known after their connection is gone; then they are bound to none. */
export const ownerDeviceList = defineOwnerOperation({
  name: 'owner_device_list',
  summary: 'List the machines with a local collector, newest first, and the connection of each.',
  effect: 'read',
  authority: ownerSession(),
  whileLocked: true,
  rest: 'GET /_ref/devices',
  cli: 'collector list',
  errors: {},
  input: z.strictObject({}),
  output: OwnerDeviceListOutput,
  present: async () => (await import('./present-devices.ts')).presentDevices,
  async handle({ db }) {
    const found = await db.all(list, LIST_LIMIT + 1)
    const data = found.slice(0, LIST_LIMIT).map((row) => ({ object: 'owner_device' as const, ...row }))
    return { object: 'list' as const, data, truncated: found.length > LIST_LIMIT }
  },
})
