import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { addEntry, ask } from '../boundary/boundary-hub.ts'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'
import { freshPostgresUrl } from './postgres-server.ts'

const CALLERS = 30

/** A hub on a PostgreSQL that its administrator has set up in some way of their own. */
async function hubOn(settings: string): Promise<{ hub: TestHub; url: string }> {
  const url = await freshPostgresUrl()
  const hub = await startTestHub({ env: { KNOWTATION_DATABASE_URL: `${url}?${settings}` } })
  onTestFinished(() => hub.close())
  return { hub, url }
}

test('a server that is set to another level of isolation: calls that come together are all answered', async () => {
  const { hub } = await hubOn(
    `options=${encodeURIComponent('-c default_transaction_isolation=serializable')}`,
  )
  const calls = Array.from({ length: CALLERS }, (_, at) =>
    ask(hub, 'ledger_append', entryOf(`led-${at}`), { as: 'hub' }),
  )
  expect((await Promise.all(calls)).map(({ status }) => status)).toEqual(Array(CALLERS).fill(201))
  expect((await ask(hub, 'ledger_verify', {}, { as: 'hub' })).body).toMatchObject({ intact: true })
})

test('four thousand writes that come at once are all carried out, as on SQLite', async () => {
  const { hub } = await hubOn('')
  const calls = Array.from({ length: 4_000 }, (_, at) =>
    ask(hub, 'token_create', { role: 'viewer', label: `at once ${at}` }, { as: 'hub' }),
  )
  const statuses = Map.groupBy(await Promise.all(calls), ({ status }) => status)
  expect([...statuses].map(([status, of]) => [status, of.length])).toEqual([[201, 4_000]])
}, 120_000)

test('a statement that the server gives up is told as a store that cannot be used now', async () => {
  const { hub, url } = await hubOn('statement_timeout=300')
  await addEntry(hub, 'led-1')
  const holder = new pg.Client({ connectionString: url })
  await holder.connect()
  onTestFinished(() => holder.end())
  await holder.query('BEGIN; SELECT * FROM ledger_heads FOR UPDATE')
  const held = await ask(hub, 'ledger_append', entryOf('led-2'), { as: 'hub' })
  expect([held.status, held.code]).toEqual([503, 'STORAGE_UNAVAILABLE'])
  await holder.query('ROLLBACK')
  const told = await ask(hub, 'ledger_append', entryOf('led-2'), { as: 'hub' })
  expect(told.status).toBe(201)
})

test('a text that the server cannot hold is the fault of the call, whatever it is for', async () => {
  const { hub } = await hubOn('')
  const text = 'a\u0000b'
  const calls = [
    ['token_create', { role: 'viewer', label: text }],
    ['violation_list', { agent_id: text }],
    ['flow_list', { tag: text }],
  ] as const
  for (const [name, input] of calls) {
    const told = await ask(hub, name, input, { as: 'hub' })
    expect([name, told.status]).toEqual([name, 400])
    expect(told.code).toBe('BAD_REQUEST')
  }
  const owned = await ask(hub, 'owner_stream_list', { connection_id: text }, { as: 'owner' })
  expect([owned.status, owned.body.error.code]).toEqual([400, 'invalid_request'])
})

function entryOf(ledger_id: string): object {
  return { tenant_id: 't-001', ledger_id, source: 'crm', type: 'signal', payload: { of: ledger_id } }
}
