import { describe, expect, test } from 'vitest'
import { applyPage } from '../../src/domains/control/records/record-store.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { addConnection, type OwnedHub, startOwnedHub } from './connection-samples.ts'

const KEY = `sk_live_${'4eC39HqLyjWDarjtT1zdp7dc'}`
const NOTES = [
  { key: 'kettle', data: { title: 'A kettle for the kitchen' } },
  { key: 'shed/rake', data: { title: 'A rake for the garden' } },
  { key: 'bill', data: { title: 'The bill of the electrician', token: KEY } },
]

async function collect({ hub }: OwnedHub, connection_id: string, stream: string): Promise<void> {
  const page = { stream, upserts: NOTES, checkpoint: null, bytes: 0 }
  await hub.db.transaction((tx) => applyPage(tx, connection_id, page, hub.system.now().toISOString()))
}

describe.each(DATABASES)('the search of records, on %s', (database) => {
  test('finds what a connection has collected, by its names, and nothing of another one', async () => {
    await using hub = await startOwnedHub({ database })
    const [mine, other] = [await addConnection(hub), await addConnection(hub)]
    await collect(hub, mine, 'notes')
    await collect(hub, mine, 'notes/old')
    await collect(hub, other, 'notes')
    const search = async (id: string, query: string) =>
      (await hub.ask('GET', `/v1/owner/connections/${id}/streams/search?${new URLSearchParams({ query })}`))
        .body
    const found = await search(mine, 'garden rake')
    expect(found.is_complete).toBe(true)
    expect(
      found.data
        .slice(0, 2)
        .map((one: { stream: string; key: string }) => [one.stream, one.key])
        .toSorted(),
    ).toEqual([
      ['notes', 'shed/rake'],
      ['notes/old', 'shed/rake'],
    ])
    expect(found.data[0]).toMatchObject({ title: 'A rake for the garden', score: expect.any(Number) })
    for (const { stream, key } of found.data) {
      const query = new URLSearchParams({ key })
      const path = `/v1/owner/connections/${mine}/streams/${encodeURIComponent(stream)}/record?${query}`
      expect((await hub.ask('GET', path)).body.key).toBe(key)
    }
    const bill = await search(mine, 'bill of the electrician')
    expect(JSON.stringify(bill)).not.toContain(KEY)
    expect((await search(other, 'kettle')).data.map((one: { stream: string }) => one.stream)).not.toContain(
      'notes/old',
    )
    expect((await search('conn_0123456789abcdef', 'kettle')).error.code).toBe('connector_instance_not_found')
    expect((await search(mine, ' ')).error.code).toBe('invalid_request')
  })
})

test('the next times of a schedule are told before it is set, and a wrong one is refused', async () => {
  await using hub = await startOwnedHub()
  const preview = async (query: Record<string, string>) =>
    (await hub.askAsOwner('GET', `/v1/owner/schedule-preview?${new URLSearchParams(query)}`)).body
  const { times } = await preview({ cron: '30 3 * * 1', timezone: 'UTC' })
  expect(times).toHaveLength(5)
  for (const at of times) expect([new Date(at).getUTCDay(), at.slice(11, 16)]).toEqual([1, '03:30'])
  const each = (await preview({ interval_seconds: '3600' })).times.map((at: string) => Date.parse(at))
  expect(each[1] - each[0]).toBe(3_600_000)
  expect((await preview({ cron: '30 3 * *' })).error.message).toContain('five fields')
  expect((await preview({ cron: '0 0 30 2 *' })).error.message).toContain('never comes')
  expect((await preview({ cron: '0 3 * * *', interval_seconds: '60' })).error.code).toBe('invalid_request')
  expect((await preview({})).error.code).toBe('invalid_request')
})

test('a body of the size of a file is read for the owner alone', async () => {
  await using hub = await startOwnedHub()
  const path = '/_ref/intents/cint_0123456789abcdef/complete'
  const body = { values: { file: 'x'.repeat(2_000_000) } }
  expect((await hub.askAsOwner('POST', path, body)).body.error.code).toBe('intent_not_found')
  expect((await hub.ask('POST', path, body)).status).toBe(401)
  const larger = { values: { file: 'x'.repeat(7_000_000) } }
  expect((await hub.askAsOwner('POST', path, larger)).status).toBe(413)
  expect((await hub.askAsOwner('POST', '/v1/owner/connections/intents', body)).status).toBe(413)
})
