import { z } from 'zod'
import { vaultMember } from '../../../operations/authority.ts'
import { defineOperation } from '../../../operations/define-operation.ts'
import { cutPage, findPlace, type Place, pageInputs } from '../../../operations/page-cursor.ts'
import { type Alert, type AlertPlace, listAlerts } from '../../../platform/alerts/alert-store.ts'
import { AlertWire } from './watch-schemas.ts'

const LIST_LIMIT = 200
/** A cursor holds the id of an agent, and agents choose theirs. */
const CURSOR_CHARS = 1_024

export const AlertListOutput = z.strictObject({
  schema: z.literal('knowtation.alert_list/v0'),
  vault_id: z.string(),
  alerts: z.array(AlertWire),
  truncated: z.boolean(),
  next_cursor: z.string().nullable(),
})

export const alertList = defineOperation({
  name: 'alert_list',
  summary: 'List the agents of this vault that are or were in Alert Mode, open alerts first.',
  effect: 'read',
  authority: vaultMember('admin'),
  whileLocked: true,
  rest: 'GET /api/v1/toolbox/alerts',
  cli: 'alert list',
  errors: {},
  input: z.strictObject(pageInputs(LIST_LIMIT, LIST_LIMIT, CURSOR_CHARS)),
  output: AlertListOutput,
  present: async () => (await import('./present-watch.ts')).presentAlertList,
  async handle({ input, vault_id, db, refuse }) {
    const { limit = LIST_LIMIT } = input
    const after = input.cursor === undefined ? undefined : alertAt(input.cursor)
    if (input.cursor !== undefined && !after)
      return refuse('BAD_REQUEST', 'cursor does not have the required form.')
    const found = await listAlerts(db, { vault_id, limit: limit + 1 }, after)
    const { items, next_cursor } = cutPage(found, limit, placeOf)
    return {
      schema: 'knowtation.alert_list/v0',
      vault_id,
      alerts: items,
      truncated: next_cursor !== null,
      next_cursor,
    }
  },
})

/** Open alerts come before those that were seen, whenever they were raised. */
function placeOf({ raised_at, agent_id, acknowledged_at }: Alert): Place {
  return { at: raised_at, id: `${acknowledged_at === null ? 'open' : 'seen'}:${agent_id}` }
}

/** The place of an alert again; undefined for a text that no alert gave. */
function alertAt(cursor: string): AlertPlace | undefined {
  const place = findPlace(cursor)
  const [, state, agent_id] = /^(open|seen):(.+)$/su.exec(place?.id ?? '') ?? []
  return place && agent_id !== undefined
    ? { is_open: state === 'open', raised_at: place.at, agent_id }
    : undefined
}
