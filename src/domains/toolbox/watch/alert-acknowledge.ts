import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { acknowledgeAlert } from '../../../platform/alerts/alert-store.ts'
import { AgentId, AlertWire, watchErrors } from './watch-schemas.ts'

export const AlertAcknowledgeOutput = z.strictObject({
  schema: z.literal('knowtation.alert/v0'),
  alert: AlertWire,
})

export const alertAcknowledge = defineOperation({
  name: 'alert_acknowledge',
  opens: true,
  summary: "Say that a person has looked at an agent's alert. It is raised again if the agent goes on.",
  effect: 'update',
  idempotent: true,
  authority: vaultMember('admin'),
  whileLocked: true,
  rest: 'POST /api/v1/toolbox/alerts/{agent_id}/acknowledge',
  cli: 'alert acknowledge <agent_id>',
  errors: watchErrors.pick('unknown_alert'),
  made: ({ alert }) => ({ kind: 'agent', id: alert.agent_id }),
  input: z.strictObject({ agent_id: AgentId.describe('The agent, as the list of alerts names it') }),
  output: AlertAcknowledgeOutput,
  present: async () => (await import('./present-watch.ts')).presentAlert,
  async handle({ input, caller, vault_id, db, now, refuse }) {
    const by = `${caller.kind}:${caller.id}`
    const alert = await acknowledgeAlert(db, { vault_id, agent_id: input.agent_id, by, now })
    return alert ? { schema: 'knowtation.alert/v0' as const, alert } : refuse('unknown_alert')
  },
})
