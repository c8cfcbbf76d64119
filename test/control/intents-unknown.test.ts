import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { insertIntent } from '../../src/domains/control/intents/intent-store.ts'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { countMade, eventsOf, meet, type People } from './intents.fixture.ts'

const INTENTS = '/v1/owner/connections/intents'

describe('a connection that is begun', () => {
  let hub: TestHub
  let people: People
  beforeAll(async () => {
    hub = await startTestHub()
    people = await meet(hub)
  })
  afterAll(() => hub.close())

  verifies(
    ['OWNR-060', 'OWNR-061'],
    'for a connector that the hub does not have, is unsupported too, and no record repeats its name',
    async () => {
      const before = await countMade(hub)
      for (const connector_id of ['nowhere', 'No-Such.connector']) {
        const { status, body } = await people.asAgent('POST', INTENTS, { connector_id })
        expect([status, body.connector_id, body.connection_active]).toEqual([201, connector_id, false])
        expect(body).toMatchObject({ state: 'unsupported', support_state: 'unsupported' })
        expect(body.next_step).toMatchObject({
          kind: 'unsupported',
          reason: expect.stringMatching(/\S/),
          runbook_path: 'docs/connectors.md',
        })
        const events = await eventsOf(hub)
        expect(events.some(({ object_id }) => object_id === body.intent_id)).toBe(true)
        expect(JSON.stringify(events)).not.toContain(connector_id)
      }
      expect(await countMade(hub)).toEqual(before)
    },
  )

  test('without end, takes no room from those that the owner can complete', async () => {
    const wish = {
      connector_id: 'nowhere',
      display_name: null,
      state: 'unsupported',
      step: 'unsupported',
    } as const
    const kept = { created_by: 'local:local', scope_json: null, code: undefined }
    const times = { created_at: '2026-01-01T00:00:00.000Z', expires_at: '2999-01-01T00:00:00.000Z' }
    await hub.hub.db.transaction(async (tx) => {
      for (let made = 0; made < 200; made++) {
        const intent_id = `cint_${made.toString(16).padStart(16, '0')}`
        await insertIntent(tx, { intent_id, ...wish, ...kept, ...times })
      }
    })
    const more = await people.asAgent('POST', INTENTS, { connector_id: 'elsewhere' })
    expect([more.status, more.body.error?.code]).toEqual([429, 'too_many_intents'])
    expect((await people.asAgent('POST', INTENTS, { connector_id: 'feed' })).status).toBe(201)
  })
})
