import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { listAlerts } from '../../../platform/alerts/alert-store.ts'
import { AlertWire } from './watch-schemas.ts'

const LIST_LIMIT = 200

export const alertList = defineOperation({
  name: 'alert_list',
  summary: 'List the agents of this vault that are or were in Alert Mode, open alerts first.',
  effect: 'read',
  authority: vaultMember('admin'),
  whileLocked: true,
  rest: 'GET /api/v1/toolbox/alerts',
  cli: 'alert list',
  errors: {},
  input: z.strictObject({}),
  output: z.strictObject({
    schema: z.literal('knowtation.alert_list/v0'),
    vault_id: z.string(),
    alerts: z.array(AlertWire),
    truncated: z.boolean(),
  }),
  async handle({ vault_id, db }) {
    const found = await listAlerts(db, vault_id, LIST_LIMIT + 1)
    return {
      schema: 'knowtation.alert_list/v0',
      vault_id,
      alerts: found.slice(0, LIST_LIMIT),
      truncated: found.length > LIST_LIMIT,
    }
  },
})
