import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { verifies } from '../requirements/verifies.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import {
  addConnection,
  addFinishedRun,
  everythingOf,
  type OwnedHub,
  removeConnections,
  startOwnedHub,
} from './connection-samples.ts'

let hub: OwnedHub | undefined
const shared = async () => (hub ??= await startOwnedHub())
afterAll(() => hub?.close())
beforeEach(async () => removeConnections(await shared()))

describe('renaming', () => {
  verifies('OWNR-082', 'every surface shows the new name from then on', async () => {
    const { ask, askAsOwner } = await shared()
    const id = await addConnection(await shared())
    const done = await ask('PATCH', `/v1/owner/connections/${id}`, { display_name: 'Brücke & Söhne' })
    expect([done.status, done.body.display_name]).toEqual([200, 'Brücke & Söhne'])
    const [row] = (await ask('GET', '/v1/owner/connections')).body.data
    const templates = (await ask('GET', '/v1/owner/connector-templates')).body.data
    const { connections } = templates.find((one: { connector_id: string }) => one.connector_id === 'amazon')
    const seen = [
      row,
      connections[0],
      (await ask('GET', `/v1/owner/connections/${id}/diagnostics`)).body,
      (await ask('GET', `/v1/owner/connections/${id}`)).body,
      (await askAsOwner('GET', `/v1/owner/connections/${id}`)).body,
    ]
    for (const one of seen)
      expect(one).toMatchObject({ display_name: 'Brücke & Söhne', label_status: 'owner_set' })
  })

  verifies('OWNR-069', 'takes 1 to 200 characters and nothing else', async () => {
    const { ask } = await shared()
    const id = await addConnection(await shared(), { display_name: 'Before' })
    const rename = (display_name: unknown) => ask('PATCH', `/v1/owner/connections/${id}`, { display_name })
    for (const bad of ['', ' ', 'x'.repeat(201), 7, null, ['a'], 'two\nlines'])
      expect([bad, (await rename(bad)).status]).toEqual([bad, 400])
    expect((await rename('x'.repeat(201))).body.error.message).toBe(
      'display_name must be 1 to 200 characters long.',
    )
    expect((await ask('PATCH', `/v1/owner/connections/${id}`, {})).status).toBe(400)
    expect((await ask('GET', `/v1/owner/connections/${id}`)).body.display_name).toBe('Before')
    for (const good of ['x', 'x'.repeat(200), '🦉'.repeat(200)])
      expect([(await rename(good)).status, (await rename(good)).body.display_name]).toEqual([200, good])
  })
})

describe('revoking', () => {
  verifies(['OWNR-070', 'OWNR-003'], 'keeps the row and the data; a second time is refused', async () => {
    const { ask } = await shared()
    const [id, other] = [await addConnection(await shared()), await addConnection(await shared())]
    const before = await everythingOf(await shared(), id)
    const done = await ask('POST', `/v1/owner/connections/${id}/revoke`)
    expect(done.body).toMatchObject({
      object: 'owner_connection_revoke',
      connection_id: id,
      connector_key: 'amazon',
      status: 'revoked',
      revoked_at: expect.stringMatching(/^\d{4}-/),
    })
    const again = await ask('POST', `/v1/owner/connections/${id}/revoke`)
    expect([again.status, again.body.error.code]).toEqual([400, 'connector_instance_inactive'])
    await ask('DELETE', `/v1/owner/connections/${other}`)
    const rows = (await ask('GET', '/v1/owner/connections')).body.data
    expect(rows).toMatchObject([{ connection_id: id, status: 'revoked' }])
    const { connections: _, ...kept } = await everythingOf(await shared(), id)
    const { connections: __, ...had } = before
    expect(kept).toEqual(had)
  })

  test('can be taken back, once', async () => {
    const { ask } = await shared()
    const id = await addConnection(await shared(), { status: 'revoked' })
    const again = () => ask('POST', `/v1/owner/connections/${id}/reactivate`)
    expect((await again()).body).toMatchObject({ status: 'active', revoked_at: null })
    const shown = (await ask('GET', `/v1/owner/connections/${id}`)).body
    expect(shown).toMatchObject({ status: 'active', revoked_at: null })
    expect((await again()).body.error.code).toBe('connector_instance_not_revoked')
  })
})

describe('a call that names only the connector', () => {
  const CHANGES = [
    ['PATCH', '', { display_name: 'x' }],
    ['POST', '/revoke', {}],
    ['DELETE', '', undefined],
    ['POST', '/run', undefined],
    ['PUT', '/schedule', { interval_seconds: 600 }],
    ['POST', '/schedule/pause', undefined],
    ['POST', '/schedule/resume', undefined],
    ['DELETE', '/schedule', undefined],
    ['GET', '/diagnostics', undefined],
  ] as const

  verifies(
    ['OWNR-052', 'OWNR-066', 'OWNR-067'],
    'is refused where it could mean several, names them, and changes nothing',
    async () => {
      const { ask } = await shared()
      const ids = [
        await addConnection(await shared(), { created_at: '2026-01-01T00:00:00.000Z' }),
        await addConnection(await shared(), { display_name: 'Mine' }),
      ]
      const named = [{ connection_id: ids[0] }, { connection_id: ids[1], display_name: 'Mine' }]
      const before = [
        await everythingOf(await shared(), ids[0] as string),
        await everythingOf(await shared(), ids[1] as string),
      ]
      for (const [method, path, body] of CHANGES) {
        const { status, body: answer } = await ask(method, `/v1/owner/connectors/amazon${path}`, body)
        expect([method, path, status, answer.error.code]).toEqual([method, path, 409, 'ambiguous_connection'])
        expect(answer.error.available_connections).toEqual(named)
        expect(answer.error).toMatchObject({ type: 'api_error', retry_with: 'connection_id' })
      }
      expect([
        await everythingOf(await shared(), ids[0] as string),
        await everythingOf(await shared(), ids[1] as string),
      ]).toEqual(before)
    },
  )

  verifies('OWNR-068', 'counts active ones alone', async () => {
    const { ask } = await shared()
    const active = await addConnection(await shared())
    const revoked = await addConnection(await shared(), { status: 'revoked' })
    await addConnection(await shared(), { connector_id: 'feed' })
    const renamed = await ask('PATCH', '/v1/owner/connectors/amazon', { display_name: 'Only' })
    expect([renamed.status, renamed.body.connection_id]).toEqual([200, active])
    const second = await addConnection(await shared())
    const { error } = (await ask('POST', '/v1/owner/connectors/amazon/revoke')).body
    expect(error.available_connections.map((one: { connection_id: string }) => one.connection_id)).toEqual([
      active,
      second,
    ])
    expect(JSON.stringify(error)).not.toContain(revoked)
  })

  test('finds nothing where there is nothing to mean', async () => {
    const { ask } = await shared()
    for (const connector of ['amazon', 'nope', '%2e%2e'])
      for (const [method, path, body] of CHANGES) {
        const { status, body: answer } = await ask(method, `/v1/owner/connectors/${connector}${path}`, body)
        expect([status, answer.error.code]).toEqual([404, 'connection_not_found'])
      }
  })

  test('takes the only revoked one up again', async () => {
    const { ask } = await shared()
    await addConnection(await shared())
    const revoked = await addConnection(await shared(), { status: 'revoked' })
    const again = () => ask('POST', '/v1/owner/connectors/amazon/reactivate')
    expect((await again()).body.connection_id).toBe(revoked)
    for (const _ of [1, 2]) await addConnection(await shared(), { status: 'revoked' })
    expect([(await again()).status, (await again()).body.error.code]).toEqual([409, 'ambiguous_connection'])
    const { data } = (await ask('GET', '/v1/owner/connections?status=revoked')).body
    expect(data).toHaveLength(2)
  })
})

describe('diagnostics', () => {
  verifies('OWNR-072', 'tell the health, the last run and the schedule, and nothing secret', async () => {
    const { ask } = await shared()
    const id = await addConnection(await shared())
    const read = async () => (await ask('GET', `/v1/owner/connections/${id}/diagnostics`)).body
    expect(await read()).toMatchObject({
      object: 'owner_connection_diagnostics',
      connection_id: id,
      connector_id: 'amazon',
      connector_key: 'amazon',
      health: 'healthy',
      last_run: { state: 'succeeded', records: 3 },
      last_successful_run: { state: 'succeeded' },
      last_ingest_at: expect.stringMatching(/^\d{4}-/),
      schedule: { enabled: true, interval_seconds: 3_600 },
      freshness: { is_stale: true },
    })
    const at = '2026-02-01T00:00:00.000Z'
    await addFinishedRun(await shared(), id, { state: 'failed', fault: 'needs_attention', at })
    const told = await read()
    expect(told).toMatchObject({
      health: 'needs_attention',
      last_run: { error: { code: 'needs_attention' } },
      last_successful_run: { state: 'succeeded' },
      recovery: { owner_required: true },
    })
    expect(JSON.stringify(told)).not.toContain('sentinel')
    await ask('POST', `/v1/owner/connections/${id}/revoke`)
    expect(await read()).toMatchObject({
      health: 'blocked',
      recovery: { action: 'reactivate_connection', owner_required: false },
    })
  })
})

test('a connection that is not there and an id that is none answer alike', async () => {
  const { bearer, url, ask } = await shared()
  for (const id of [`conn_${'0'.repeat(24)}`, 'nope', '%F0%9F%A6%89', '..%2f'])
    for (const path of [`/v1/owner/connections/${id}`, `/v1/owner/connections/${id}/diagnostics`]) {
      const { status, text } = await send(url, { path, bearer })
      expect([path, status, JSON.parse(text).error.code]).toEqual([path, 404, 'connector_instance_not_found'])
    }
  expect((await ask('PATCH', '/v1/owner/connections/nope', { display_name: 'x' })).status).toBe(404)
})
