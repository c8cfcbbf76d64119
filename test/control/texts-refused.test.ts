import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DATABASES, startTestHub, type TestHub } from '../harness/test-hub.ts'
import { addConnection } from './connection-samples.ts'
import { eventsOf, LOOPBACK_SOURCES, meet, type People } from './intents.fixture.ts'

describe.each(DATABASES)('a text with NUL in it, on %s', (database) => {
  let hub: TestHub
  let people: People
  let connection_id: string
  beforeAll(async () => {
    hub = await startTestHub({ database, config: LOOPBACK_SOURCES })
    people = await meet(hub)
    connection_id = await addConnection(hub)
  })
  afterAll(() => hub.close())

  test.each([
    ['GET', '/v1/owner/connections/a%00b'],
    ['DELETE', '/v1/owner/connections/a%00b'],
    ['POST', '/v1/owner/connections/a%00b/run'],
    ['POST', '/v1/owner/connectors/a%00b/run'],
    ['GET', '/v1/owner/connections/{}/streams/orders/record?key=a%00b'],
    ['GET', '/v1/owner/connections/{}/runs/a%00b'],
  ])('names nothing that there is: %s %s', async (method, path) => {
    const { status, body } = await people.asAgent(method, path.replace('{}', connection_id))
    expect([400, 404]).toContain(status)
    expect(body.error?.type).toBe(status === 400 ? 'invalid_request_error' : 'not_found_error')
  })

  test('is never the fault of the hub where it would be stored', async () => {
    const callback_url = 'http://127.0.0.1:8080/a\0b'
    expect((await people.asAgent('POST', '/v1/event-subscriptions', { callback_url })).status).toBe(400)
    const { body } = await people.asAgent('GET', '/v1/event-subscriptions')
    expect(body.data).toEqual([])
    expect((await eventsOf(hub)).at(-1)).toMatchObject({ status: 'failed' })
    const label = 'a\0b'
    const token = await people.asOwner('POST', '/api/v1/tokens', { role: 'viewer', label })
    expect([201, 400]).toContain(token.status)
  })
})
