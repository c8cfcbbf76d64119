import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { auditRecords } from '../rest/rest-hub.fixture.ts'
import { asOwner, call, decide, startAskingHub } from './approvals.fixture.ts'
import type { Json } from './gate-hub.ts'

const SECRET = 'words that are for the owner alone'
const kept = sql<{ type: string; event_json: string }>(
  `SELECT type, event_json FROM subscription_events WHERE type LIKE 'approval.%' ORDER BY seq`,
)
const sealed = sql<{ arguments_sealed: string | null; result_sealed: string | null }>(
  'SELECT arguments_sealed, result_sealed FROM call_approvals',
)

describe.each(DATABASES)('what is told of a call that asks first on %s', (database) => {
  test('reaches subscribers and the owner’s record, once each and without the arguments', async () => {
    const asking = await startAskingHub({ database, config: { control: { allow_private_sources: true } } })
    try {
      const { hub, endpoint } = asking
      const wanted = {
        callback_url: `${endpoint.url}/hook`,
        filters: { types: ['approval.requested', 'approval.decided'] },
      }
      expect((await asOwner(hub, 'POST', '/v1/event-subscriptions', wanted)).status).toBe(201)
      const { body } = await call(asking, 'post', { text: SECRET })
      const metrics = await (await fetch(`${hub.url}/metrics`)).text()
      expect(metrics).toMatch(/^knowtation_approvals_waiting 1$/m)
      await decide(hub, body.approval_id, 'approve')
      let told: Json[] = []
      while (told.length < 2) {
        await pause(20)
        told = await hub.hub.db.all(kept)
      }
      expect(told.map(({ type }) => type)).toEqual(['approval.requested', 'approval.decided'])
      const events = (await asOwner(hub, 'GET', '/_ref/events?limit=50')).body.data
      const own = events.filter(({ event_type }: Json) => event_type.startsWith('approval.'))
      expect(own.map((one: Json) => [one.event_type, one.object_id, one.actor_type])).toEqual([
        ['approval.decided', body.approval_id, 'owner'],
        ['approval.requested', body.approval_id, 'client'],
      ])
      expect((await asOwner(hub, 'GET', '/_ref/events/verify')).body.sound).toBe(true)
      const all = [told, events, await auditRecords(hub), hub.logged, await hub.hub.db.all(sealed)]
      expect(JSON.stringify(all)).not.toContain(SECRET)
      expect(await hub.hub.db.all(sealed)).toEqual([{ arguments_sealed: null, result_sealed: null }])
    } finally {
      await asking.close()
    }
  })
})
