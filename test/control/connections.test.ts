import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { verifies } from '../requirements/verifies.ts'
import { addConnection, type OwnedHub, removeConnections, startOwnedHub } from './connection-samples.ts'

let hub: OwnedHub | undefined
const shared = async () => (hub ??= await startOwnedHub())
afterAll(() => hub?.close())
beforeEach(async () => removeConnections(await shared()))

describe('listings', () => {
  verifies(
    ['OWNR-045', 'OWNR-046', 'OWNR-048', 'OWNR-049', 'OWNR-050', 'OWNR-051'],
    'templates and connections are apart; each connection names its connector and has a name',
    async () => {
      const { ask } = await shared()
      const made = [
        await addConnection(await shared()),
        await addConnection(await shared(), { display_name: 'Mine' }),
      ]
      const templates = (await ask('GET', '/v1/owner/connector-templates')).body
      const rows = (await ask('GET', '/v1/owner/connections')).body
      expect([templates.object, rows.object]).toEqual(['list', 'list'])
      const keys = new Set(templates.data.map((one: { connector_key: string }) => one.connector_key))
      for (const template of templates.data) {
        expect(template).toMatchObject({
          object: 'owner_connector_template',
          registration_status: 'registered',
        })
        expect(Object.hasOwn(template, 'connection_id')).toBe(false)
      }
      expect(rows.data.map((row: { connection_id: string }) => row.connection_id)).toEqual(made)
      for (const row of rows.data) {
        expect(row).toMatchObject({
          object: 'owner_connection',
          connector_id: 'amazon',
          connector_key: 'amazon',
        })
        expect(row.connector_instance_id).toBe(row.connection_id)
        expect(keys).toContain(row.connector_key)
      }
      expect(rows.data[1]).toMatchObject({ label_status: 'owner_set', display_name: 'Mine' })
      const amazon = templates.data.find((one: { connector_id: string }) => one.connector_id === 'amazon')
      expect(amazon).toMatchObject({ connection_count: 2, connector_modality: 'browser_bound' })
      const { display_name } = amazon
      expect(rows.data[0]).toMatchObject({ label_status: 'fallback', display_name })
      expect(display_name).toMatch(/^Amazon/)
      expect(amazon.connections.map((one: { object: string }) => one.object)).toEqual([
        'owner_connection_summary',
        'owner_connection_summary',
      ])
    },
  )

  verifies('OWNR-050', 'a connection whose connector is no longer there still has a name', async () => {
    const { ask } = await shared()
    await addConnection(await shared(), { connector_id: 'taken_away' })
    const [row] = (await ask('GET', '/v1/owner/connections')).body.data
    expect(row).toMatchObject({ display_name: 'taken_away', label_status: 'fallback' })
  })

  verifies('OWNR-047', 'a broken manifest takes no other template along', async () => {
    const { ask, home } = await shared()
    const before = (await ask('GET', '/v1/owner/connector-templates')).body
    expect(before.data.length).toBeGreaterThan(0)
    const broken = { torn: '{', empty: '', foreign: 'connector_id: other\n', amazon: 'connector_id: amazon' }
    for (const [name, text] of Object.entries(broken)) {
      mkdirSync(join(home.folder, 'connectors', name), { recursive: true })
      writeFileSync(join(home.folder, 'connectors', name, 'manifest.yaml'), text)
    }
    const after = (await ask('GET', '/v1/owner/connector-templates')).body
    expect(after.data).toEqual(before.data)
    const named = after.faults.map(({ connector }: { connector: string }) => connector)
    expect(named.toSorted()).toEqual(['amazon', 'empty', 'foreign', 'torn'])
    expect(JSON.stringify(after)).not.toContain(home.folder)
  })

  verifies('OWNR-064', 'each template lists initiate_connection with a typed status', async () => {
    const { data } = (await (await shared()).ask('GET', '/v1/owner/connector-templates')).body
    for (const { supported_actions, setup_plan } of data) {
      expect(supported_actions).toHaveLength(1)
      const [action] = supported_actions
      expect(action.family).toBe('initiate_connection')
      expect(['supported', 'owner_mediated', 'unsupported']).toContain(action.status)
      if (setup_plan.support_state === 'unsupported') expect(action.status).toBe('unsupported')
      expect([action.method !== null, action.url !== null]).toEqual(
        Array(2).fill(action.status === 'supported'),
      )
    }
  })

  test('pages follow each other without a gap or a repeat, whatever the filter', async () => {
    const { ask } = await shared()
    const made: string[] = []
    for (let at = 0; at < 7; at++)
      made.push(
        await addConnection(await shared(), {
          connector_id: at % 2 ? 'feed' : 'amazon',
          status: at % 3 ? 'active' : 'revoked',
          records: 0,
          // Some share their moment: then the id decides.
          created_at: `2026-01-0${1 + (at >> 1)}T00:00:00.000Z`,
        }),
      )
    for (const filter of [
      '',
      '&connector_id=feed',
      '&status=active',
      '&connector_id=amazon&status=revoked',
    ]) {
      const whole = (await ask('GET', `/v1/owner/connections?limit=200${filter}`)).body.data
      const seen = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const from: string = cursor && `&cursor=${cursor}`
        const page = (await ask('GET', `/v1/owner/connections?limit=2${filter}${from}`)).body
        expect(page.data.length).toBeLessThanOrEqual(2)
        seen.push(...page.data)
        cursor = page.next_cursor
      }
      expect(seen).toEqual(whole)
      expect(whole.length).toBeGreaterThan(0)
      if (!filter) expect(whole).toHaveLength(made.length)
    }
    expect((await ask('GET', '/v1/owner/connections?cursor=nonsense')).body.error.code).toBe(
      'invalid_request',
    )
  })
})

describe('the actions of a connection', () => {
  verifies(
    ['OWNR-062', 'OWNR-063'],
    'each has its address filled in; what a revoked one cannot do is never shown as supported',
    async () => {
      const { ask, url } = await shared()
      const active = await addConnection(await shared())
      const revoked = await addConnection(await shared(), { status: 'revoked' })
      const rows = (await ask('GET', '/v1/owner/connections')).body.data
      const actionsOf = (id: string) =>
        Object.fromEntries(
          rows
            .find((row: { connection_id: string }) => row.connection_id === id)
            .supported_actions.map((action: { family: string }) => [action.family, action]),
        )
      const [of, gone] = [actionsOf(active), actionsOf(revoked)]
      for (const family of [
        'rename_connection',
        'inspect_diagnostics',
        'delete_connection',
        'revoke_connection',
      ])
        expect(of[family]).toMatchObject({ status: 'supported', url: expect.stringContaining(active) })
      expect(of.rename_connection).toMatchObject({
        method: 'PATCH',
        url: `${url}/v1/owner/connections/${active}`,
      })
      for (const family of ['list_connections', 'initiate_connection', 'manage_event_subscriptions'])
        expect(of[family]).toBeUndefined()
      for (const family of ['run_connection', 'manage_schedule', 'revoke_connection'])
        expect(gone[family]).toMatchObject({ status: 'unsupported', method: null, url: null })
      expect(gone.run_connection.reason).not.toBe('')
      expect(gone.delete_connection).toMatchObject({ status: 'supported' })
    },
  )

  verifies('OWNR-062', 'an address holds the id in the form of addresses, and leads to it', async () => {
    const { ask, url } = await shared()
    const id = await addConnection(await shared(), { connection_id: 'conn_a/b?c#d %2e ü' })
    const [row] = (await ask('GET', '/v1/owner/connections')).body.data
    const found = row.supported_actions.find(
      ({ family }: { family: string }) => family === 'inspect_diagnostics',
    )
    expect(found.url).toBe(`${url}/v1/owner/connections/${encodeURIComponent(id)}/diagnostics`)
    const { status, body } = await ask(found.method, found.url.slice(url.length))
    expect([status, body.connection_id]).toEqual([200, id])
  })

  verifies('OWNR-030', 'cancel_run has neither method nor address, in the document or on a row', async () => {
    const { ask } = await shared()
    await addConnection(await shared())
    const [row] = (await ask('GET', '/v1/owner/connections')).body.data
    const document = (await ask('GET', '/v1/owner/control')).body
    for (const actions of [row.supported_actions, document.actions])
      expect(actions.find(({ family }: { family: string }) => family === 'cancel_run')).toMatchObject({
        status: 'owner_mediated',
        method: null,
        url: null,
      })
  })

  verifies(
    'OWNR-042',
    'every advertised address answers the bearer, on a row as in the document',
    async () => {
      const { ask, url } = await shared()
      const id = await addConnection(await shared())
      const [row] = (await ask('GET', '/v1/owner/connections')).body.data
      const supported = row.supported_actions.filter(({ url: at }: { url: string | null }) => at !== null)
      expect(supported.length).toBeGreaterThanOrEqual(4)
      for (const { family, method, url: at } of supported) {
        expect(at).toContain(id)
        if (family === 'delete_connection') continue
        const body =
          method === 'GET' ? undefined : family === 'rename_connection' ? { display_name: 'x' } : {}
        const { status } = await ask(method, at.replace(url, ''), body)
        expect([family, status < 300 || status === 409]).toEqual([family, true])
      }
      const last = supported.find(({ family }: { family: string }) => family === 'delete_connection')
      expect([200, 409]).toContain((await ask(last.method, last.url.replace(url, ''))).status)
    },
  )

  verifies(
    'OWNR-073',
    'every family that takes the bearer and is about no one connection is advertised',
    async () => {
      const { routed } = await import('../rest/routes.fixture.ts')
      const paths = routed
        .filter(({ authority }) => authority.kind === 'owner_surface' && !authority.session_only)
        .map(({ rest = '' }) => rest.split(' ')[1] as string)
        .filter((path) => !/\{connection_id\}|\{connector_id\}/.test(path))
      const FAMILIES_BY_PATH: Readonly<Record<string, string>> = {
        '/v1/owner/control': 'discover_control_capabilities',
        '/v1/owner/connector-templates': 'list_connector_templates',
        '/v1/owner/connections': 'list_connections',
        '/v1/owner/connections/intents': 'initiate_connection',
        '/v1/event-subscriptions': 'manage_event_subscriptions',
      }
      const { actions } = (await (await shared()).ask('GET', '/v1/owner/control')).body
      const supported = actions
        .filter(({ status }: { status: string }) => status === 'supported')
        .map(({ family }: { family: string }) => family)
      expect(paths.length).toBeGreaterThan(2)
      for (const path of paths) {
        const root = path.replace(/\/\{.*$/, '')
        expect([path, supported.includes(FAMILIES_BY_PATH[root])]).toEqual([path, true])
      }
    },
  )
})
