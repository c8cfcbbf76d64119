import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DATABASES, startTestHub, type TestHub } from '../harness/test-hub.ts'
import { addConnection } from './connection-samples.ts'
import { countMade, eventsOf, LOOPBACK_SOURCES, meet, type People } from './intents.fixture.ts'

const calendar = (summary: string) =>
  ['BEGIN:VCALENDAR', 'BEGIN:VEVENT', 'UID:1', 'DTSTART:20261101T100000Z', `SUMMARY:${summary}`]
    .concat('END:VEVENT', 'END:VCALENDAR', '')
    .join('\r\n')

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
    const before = await people.asOwner('GET', '/api/v1/tokens')
    for (const label of ['a\0b', 'a\nb', 'a\ud800b']) {
      const token = await people.asOwner('POST', '/api/v1/tokens', { role: 'viewer', label })
      expect([label, token.status, token.body]).toMatchObject([label, 400, { code: 'BAD_REQUEST' }])
    }
    expect((await people.asOwner('GET', '/api/v1/tokens')).body).toEqual(before.body)
  })

  test('makes no connection of a file, however good the rest of it is', async () => {
    const before = await countMade(hub)
    const { intent_id } = await people.begin('calendar')
    const complete = (file: string) =>
      people.asOwner('POST', `/_ref/intents/${intent_id}/complete`, { values: { file } })
    const refused = await complete(calendar('a\0b'))
    expect([refused.status, refused.body.error]).toMatchObject([
      400,
      { code: 'invalid_request', param: 'file', message: 'Calendar file: the file is not a text.' },
    ])
    expect(await countMade(hub)).toEqual(before)
    expect((await complete(calendar('ab'))).body.state).toBe('completed')
  })
})
