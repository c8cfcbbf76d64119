import { afterAll, beforeAll, describe, expect } from 'vitest'
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
})
