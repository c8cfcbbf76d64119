import { describe, expect, test } from 'vitest'
import { recordIndexOf } from '../../src/platform/knowledge/records/record-index.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { DATABASES, type DatabaseName } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { entriesOf } from '../toolbox/knowledge-records.fixture.ts'
import {
  addConnection,
  addFinishedRun,
  addTraces,
  CREDENTIAL_SENTINEL,
  everythingOf,
  type OwnedHub,
  RECORD_SENTINEL,
  startOwnedHub,
} from './connection-samples.ts'

const SWITCHED_OFF = {
  control: { delete_connection: false },
  rate_limits: { failed_authentications_per_minute: 1_000_000 },
}

const remove = (hub: OwnedHub, id: string) => hub.ask('DELETE', `/v1/owner/connections/${id}`)

/** Makes the last step of the cascade fail, when all else has been erased already. */
async function breakCascade({ hub }: OwnedHub, database: DatabaseName): Promise<void> {
  const statements =
    database === 'sqlite'
      ? ["CREATE TRIGGER stop BEFORE DELETE ON connections BEGIN SELECT RAISE(ABORT, 'stop'); END"]
      : [
          "CREATE FUNCTION stop() RETURNS trigger AS 'BEGIN RAISE EXCEPTION ''stop''; END' LANGUAGE plpgsql",
          'CREATE TRIGGER stop BEFORE DELETE ON connections FOR EACH ROW EXECUTE FUNCTION stop()',
        ]
  await hub.db.transaction(async (tx) => {
    for (const text of statements) await tx.run(sql(text))
  })
}

describe.each(DATABASES)('deleting a connection on %s', (database) => {
  verifies(
    ['OWNR-001', 'OWNR-003', 'OWNR-011', 'OWNR-012', 'OWNR-013', 'OWNR-014'],
    'erases it with all it has, keeps its device, and leaves its sibling as it was to the letter',
    async () => {
      await using hub = await startOwnedHub({ database })
      const [id, sibling] = [await addConnection(hub, { records: 40 }), await addConnection(hub)]
      for (const one of [id, sibling]) await addTraces(hub, one)
      const before = await everythingOf(hub, sibling)
      expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([])
      const done = await remove(hub, id)
      expect([done.status, done.body]).toEqual([
        200,
        {
          object: 'owner_connection_delete',
          connection_id: id,
          connector_id: 'amazon',
          connector_key: 'amazon',
          deleted: true,
          deleted_record_count: 79,
          deleted_stream_count: 2,
          device_refs_cleared: 1,
          schedule_deleted: true,
        },
      ])
      expect(Object.values(await everythingOf(hub, id)).flat()).toEqual([])
      const device = sql<{ connection_id: string | null }>(
        'SELECT connection_id FROM owner_devices WHERE device_id = ?',
      )
      expect(await hub.hub.db.get(device, `dev_${id.slice(5)}`)).toEqual({ connection_id: null })
      expect(await everythingOf(hub, sibling)).toEqual(before)
      const again = await remove(hub, id)
      expect([again.status, again.body.error.code]).toEqual([404, 'connector_instance_not_found'])
      const listed = (await hub.ask('GET', '/v1/owner/connections')).body.data
      expect(listed.map((row: { connection_id: string }) => row.connection_id)).toEqual([sibling])
    },
  )

  verifies('OWNR-015', 'is all or nothing: a fault in its last step erases nothing', async () => {
    await using hub = await startOwnedHub({ database })
    const id = await addConnection(hub)
    const before = await everythingOf(hub, id)
    await breakCascade(hub, database)
    const { status, body } = await remove(hub, id)
    expect([status, body.error.code, body.error.type]).toEqual([500, 'api_error', 'api_error'])
    expect(await everythingOf(hub, id)).toEqual(before)
    const [event] = await hub.events()
    expect(event).toMatchObject({
      event_type: 'owner_agent.connection.delete',
      status: 'failed',
      object_id: id,
      data: { outcome: 'failed', error: { code: 'api_error', http_status: 500 } },
    })
  })

  verifies('OWNR-011', 'erases its search entries, and no others', async () => {
    await using hub = await startOwnedHub({ database })
    const [id, sibling] = [await addConnection(hub), await addConnection(hub)]
    const find = async () => {
      const under = [id, sibling].map((one) => `record:${one}/`)
      const found = await recordIndexOf(hub.hub).search(RECORD_SENTINEL, [id, sibling], under, 50)
      return found.hits.map(({ path }) => path.split('/')[0])
    }
    expect(new Set(await find())).toEqual(new Set([`record:${id}`, `record:${sibling}`]))
    const before = await entriesOf(hub.hub, sibling)
    expect((await entriesOf(hub.hub, id)).length).toBeGreaterThan(6)
    expect((await remove(hub, id)).status).toBe(200)
    expect(await entriesOf(hub.hub, id)).toEqual([])
    expect((await entriesOf(hub.hub, sibling)).toSorted()).toEqual(before.toSorted())
    expect(new Set(await find())).toEqual(new Set([`record:${sibling}`]))
  })

  verifies('OWNR-015', 'that fails leaves its records to be found', async () => {
    await using hub = await startOwnedHub({ database })
    const id = await addConnection(hub)
    const find = async () =>
      (await recordIndexOf(hub.hub).search(RECORD_SENTINEL, [id], [`record:${id}/`], 50)).hits.length
    expect(await find()).toBe(6)
    await breakCascade(hub, database)
    expect((await remove(hub, id)).status).toBe(500)
    expect(await find()).toBe(6)
  })

  verifies('OWNR-016', 'waits for no run: while one is active it is refused', async () => {
    await using hub = await startOwnedHub({ database })
    const id = await addConnection(hub)
    await addFinishedRun(hub, id, { state: 'running' })
    const before = await everythingOf(hub, id)
    const { status, body } = await remove(hub, id)
    expect([status, body.error.code, body.error.type]).toEqual([409, 'connection_run_active', 'api_error'])
    expect(await everythingOf(hub, id)).toEqual(before)
  })

  test('of two at once, one erases and the other finds nothing', async () => {
    await using hub = await startOwnedHub({ database })
    const id = await addConnection(hub)
    const answers = await Promise.all([remove(hub, id), remove(hub, id), remove(hub, id)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 404, 404])
  })
})

verifies('OWNR-002', 'takes an owner agent’s bearer: none is 401, any other 403', async () => {
  await using hub = await startOwnedHub()
  const id = await addConnection(hub)
  const before = await everythingOf(hub, id)
  const path = `/v1/owner/connections/${id}`
  const { bearers } = hub.credentials
  const stranger = await send(hub.url, { method: 'DELETE', path })
  expect([stranger.status, JSON.parse(stranger.text).error.code]).toEqual([401, 'authentication_error'])
  for (const bearer of [bearers.viewer, bearers.editor, bearers.evaluator, bearers.admin, bearers.gateway]) {
    const { status, text } = await send(hub.url, { method: 'DELETE', path, bearer })
    expect([status, JSON.parse(text).error.code]).toEqual([403, 'permission_error'])
  }
  expect(await everythingOf(hub, id)).toEqual(before)
})

verifies('OWNR-010', 'an unknown id and one of somebody else’s answer alike, and erase nothing', async () => {
  await using hub = await startOwnedHub()
  const id = await addConnection(hub)
  const before = await everythingOf(hub, id)
  await using elsewhere = await startOwnedHub()
  const foreign = await addConnection(elsewhere)
  const answers = []
  for (const other of [foreign, `conn_${'0'.repeat(24)}`, 'nope']) {
    const { status, text } = await remove(hub, other)
    answers.push(`${status} ${text.replace(/req_[0-9a-f]{16}/, '')}`)
  }
  expect(new Set(answers).size).toBe(1)
  expect(answers[0]).toMatch(/^404 .*connector_instance_not_found/)
  expect(await everythingOf(hub, id)).toEqual(before)
  expect((await everythingOf(elsewhere, foreign)).connections).toHaveLength(1)
})

verifies(
  ['OWNR-019', 'OWNR-020', 'OWNR-021', 'OWNR-022', 'OWNR-023'],
  'by connector alone it takes the only active one; of several it takes none and names them',
  async () => {
    await using hub = await startOwnedHub()
    const byConnector = () => hub.ask('DELETE', '/v1/owner/connectors/amazon')
    const none = await byConnector()
    expect([none.status, none.body.error.code]).toEqual([404, 'connection_not_found'])
    const ids = [await addConnection(hub), await addConnection(hub, { display_name: 'Second' })]
    const revoked = await addConnection(hub, { status: 'revoked' })
    const everything = () => Promise.all([...ids, revoked].map((id) => everythingOf(hub, id)))
    const before = await everything()
    const several = await byConnector()
    expect([several.status, several.body.error]).toMatchObject([
      409,
      {
        code: 'ambiguous_connection',
        available_connections: [{ connection_id: ids[0] }, { connection_id: ids[1], display_name: 'Second' }],
        retry_with: 'connection_id',
      },
    ])
    expect(await everything()).toEqual(before)
    await remove(hub, ids[0] as string)
    const only = await byConnector()
    expect([only.status, only.body.connection_id]).toEqual([200, ids[1]])
    expect((await byConnector()).body.error.code).toBe('connection_not_found')
    expect((await everythingOf(hub, revoked)).connections).toHaveLength(1)
  },
)

type Action = { family: string; status: string; method: string | null; url: string | null; reason: string }
const deleteOf = (actions: Action[]) => actions.find(({ family }) => family === 'delete_connection') as Action

verifies(
  ['OWNR-004', 'OWNR-005', 'OWNR-006'],
  'is told in the document and on every row, as supported',
  async () => {
    await using hub = await startOwnedHub()
    const ids = [await addConnection(hub), await addConnection(hub, { status: 'revoked' })]
    const told = deleteOf((await hub.ask('GET', '/v1/owner/control')).body.actions)
    expect(told).toMatchObject({
      status: 'supported',
      method: 'DELETE',
      url: `${hub.url}/v1/owner/connections/{connection_id}`,
    })
    const rows = (await hub.ask('GET', '/v1/owner/connections')).body.data
    expect(rows).toHaveLength(2)
    for (const [at, row] of rows.entries())
      expect(deleteOf(row.supported_actions)).toEqual({
        ...told,
        url: `${hub.url}/v1/owner/connections/${ids[at]}`,
      })
  },
)

verifies(
  ['OWNR-004', 'OWNR-006', 'OWNR-007', 'OWNR-008', 'OWNR-009'],
  'switched off, it is told as unsupported with its reason, and refused',
  async () => {
    await using hub = await startOwnedHub({ config: SWITCHED_OFF })
    const id = await addConnection(hub)
    const before = await everythingOf(hub, id)
    const [row] = (await hub.ask('GET', '/v1/owner/connections')).body.data
    const document = (await hub.ask('GET', '/v1/owner/control')).body
    for (const actions of [document.actions, row.supported_actions]) {
      expect(deleteOf(actions)).toMatchObject({ status: 'unsupported', method: null, url: null })
      expect(deleteOf(actions).reason).toMatch(/defined delete cascade contract/)
    }
    for (const path of [`/v1/owner/connections/${id}`, '/v1/owner/connectors/amazon']) {
      const { status, body } = await hub.ask('DELETE', path)
      expect([status, body.error.code]).toEqual([409, 'delete_connection_unsupported'])
      expect((await hub.events())[0]).toMatchObject({
        status: 'failed',
        data: { operation: 'delete', error: { code: 'delete_connection_unsupported', http_status: 409 } },
      })
    }
    expect(await everythingOf(hub, id)).toEqual(before)
  },
)

verifies(
  ['OWNR-017', 'OWNR-018'],
  'leaves one event that tells who, what and how much, and no secret or content',
  async () => {
    await using hub = await startOwnedHub()
    const id = await addConnection(hub, { records: 5, display_name: 'sentinel-name' })
    const { body } = await remove(hub, id)
    const events = await hub.events()
    expect(events).toHaveLength(1)
    expect(events[0]).toMatchObject({
      event_type: 'owner_agent.connection.delete',
      actor_type: 'owner_agent',
      actor_id: 'test-agent',
      client_id: 'test-agent',
      object_type: 'connection',
      object_id: id,
      status: 'succeeded',
      data: {
        actor_kind: 'owner_agent',
        auth_token_kind: 'owner',
        client_id: 'test-agent',
        client_name: 'Test Agent',
        connection_id: id,
        connector_key: 'amazon',
        operation: 'delete',
        outcome: 'succeeded',
        selector: 'connection_id',
        deletion_summary: {
          deleted_record_count: 10,
          deleted_stream_count: 2,
          device_refs_cleared: 1,
          schedule_deleted: true,
        },
      },
    })
    expect(body.deleted_record_count).toBe(10)
    const kept = JSON.stringify([
      await hub.hub.db.all(sql<object>('SELECT * FROM owner_events')),
      await hub.hub.db.all(sql<object>('SELECT * FROM audit_records')),
      hub.logged,
    ])
    for (const secret of [hub.bearer, CREDENTIAL_SENTINEL, RECORD_SENTINEL, 'sentinel-name'])
      expect(kept).not.toContain(secret)
  },
)
