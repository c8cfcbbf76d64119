import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FAMILIES } from '../../src/domains/control/control-catalog.ts'
import { allOperations } from '../../src/domains/index.ts'
import { buildRegistry } from '../../src/operations/registry.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { codeOf, recorded, send, startRestHub } from '../rest/rest-hub.fixture.ts'
import { requestOf, routed } from '../rest/routes.fixture.ts'
import { makeAgent, ownerOrigin, setUpOwner, type Visitor } from './owner-visitor.ts'

let hub: TestHub
let owner: Visitor
let bearer: string
beforeAll(async () => {
  hub = await startRestHub()
  owner = await setUpOwner(hub)
  bearer = (await makeAgent(hub, owner)).bearer
})
afterAll(() => hub.close())

interface Document {
  entrypoint: string
  actions: { family: string; status: string; method: string | null; url: string | null; reason: string }[]
}

async function readDocument(): Promise<Document> {
  return JSON.parse((await send(hub.url, { path: '/v1/owner/control', bearer })).text)
}

const removeAt = (path: string) =>
  owner.ask({ method: 'DELETE', path, headers: { origin: ownerOrigin(hub) } })

async function metadata(): Promise<Record<string, unknown>[]> {
  const found = []
  for (const path of ['/', '/.well-known/oauth-protected-resource'])
    found.push(JSON.parse((await send(hub.url, { path })).text))
  return found
}

describe('the owner surface', () => {
  verifies('OWNR-035', 'takes an owner agent’s bearer, and no other credential of an agent', async () => {
    const ask = async (who: string | undefined) => {
      const { status, text, headers } = await send(hub.url, { path: '/v1/owner/control', bearer: who })
      return { status, headers, error: (JSON.parse(text) as { error?: Record<string, string> }).error }
    }
    const stranger = await ask(undefined)
    expect(stranger).toMatchObject({
      status: 401,
      error: { type: 'authentication_error', code: 'authentication_error' },
    })
    expect(stranger.error?.request_id).toMatch(/^req_[0-9a-f]{16}$/)
    expect(stranger.headers['www-authenticate']).toContain(
      `resource_metadata="http://127.0.0.1:${new URL(hub.url).port}/.well-known/oauth-protected-resource"`,
    )
    for (const who of ['viewer', 'editor', 'admin', 'gateway'] as const)
      expect(await ask(hub.credentials.bearers[who])).toMatchObject({
        status: 403,
        error: { type: 'permission_error', code: 'permission_error' },
      })
    expect((await ask(bearer)).status).toBe(200)
    expect((await ask(`${bearer.slice(0, -1)}${bearer.endsWith('0') ? 1 : 0}`)).status).toBe(401)
  })

  test('is closed to an owner agent everywhere else, before its input is looked at', async () => {
    const open: string[] = []
    const closed = routed.filter(({ authority }) => authority.kind !== 'owner_surface')
    expect(closed.length).toBeGreaterThan(50)
    for (const operation of closed) {
      const { result, records } = await recorded(hub, () =>
        send(hub.url, { ...requestOf(operation, {}), bearer }),
      )
      if (result.status !== 403) open.push(`${operation.name}: ${result.status} ${codeOf(result)}`)
      expect(records).toMatchObject([
        { operation: operation.name, caller_kind: 'owner_agent', outcome: 'denied' },
      ])
    }
    expect(open).toEqual([])
  })

  verifies(['OWNR-027', 'OWNR-086'], 'speaks its own form also where there is nothing', async () => {
    for (const [method, path] of [
      ['POST', `/v1/owner/runs/run_${'0'.repeat(32)}/cancel`],
      ['PUT', '/v1/owner/control'],
      ['GET', '/v1/event-subscriptions/sub_x/nothing?x=/api/'],
      ['GET', '/_ref/nothing'],
    ] as const) {
      const { status, text, headers } = await send(hub.url, { method, path, bearer })
      const { error } = JSON.parse(text)
      expect([path, status, error.type, error.code]).toEqual([path, 404, 'not_found_error', 'not_found'])
      expect(error.request_id).toMatch(/^req_[0-9a-f]{16}$/)
      expect(headers['request-id']).toBe(error.request_id)
    }
    for (const path of ['/api/v1/nothing', '/v1x', '/nothing/v1/owner'])
      expect(JSON.parse((await send(hub.url, { path, bearer })).text)).toEqual({
        error: 'There is nothing at this address.',
        code: 'NOT_FOUND',
      })
  })

  test('answers a bad input and a missing thing in its own form', async () => {
    const [bad, missing] = [
      await removeAt('/v1/owner/agents/nonsense'),
      await removeAt(`/v1/owner/agents/oagt_${'0'.repeat(16)}`),
    ]
    expect([bad.status, JSON.parse(bad.text).error]).toMatchObject([
      400,
      { type: 'invalid_request_error', code: 'invalid_request' },
    ])
    expect([missing.status, JSON.parse(missing.text).error]).toMatchObject([
      404,
      { type: 'not_found_error', code: 'unknown_agent' },
    ])
  })
})

describe('at /mcp', () => {
  const headers = { accept: 'application/json, text/event-stream', 'mcp-protocol-version': '2025-06-18' }
  const bodies = {
    list: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} }),
    call: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'flow_list', arguments: {} },
    }),
    garbage: '{',
  }

  verifies(
    ['OWNR-024', 'OWNR-043', 'OWNR-044'],
    'an owner bearer is turned away by HTTP, before any JSON-RPC, and told where it belongs',
    async () => {
      for (const body of Object.values(bodies)) {
        const { result, records } = await recorded(hub, () =>
          send(hub.url, { method: 'POST', path: '/mcp', bearer, body, headers }),
        )
        const { error } = JSON.parse(result.text)
        expect([result.status, error.code, error.type]).toEqual([403, 'permission_error', 'permission_error'])
        expect(error.message).toMatch(/grant-scoped.*\/v1\/owner\/control/)
        expect(result.text).not.toContain('jsonrpc')
        expect(records).toMatchObject([
          { operation: 'mcp_request', surface: 'mcp', code: 'permission_error', caller_kind: 'owner_agent' },
        ])
        for (const text of [result.text, hub.logged.join(''), JSON.stringify(records)])
          expect(text).not.toContain(bearer)
      }
      for (const method of ['GET', 'DELETE'])
        expect((await send(hub.url, { method, path: '/mcp', bearer, headers })).status).toBe(403)
      const revealed = { ...headers, 'x-flow-external-bearer': `kgrant_${'0'.repeat(64)}` }
      expect(
        (await send(hub.url, { method: 'POST', path: '/mcp', bearer, body: bodies.list, headers: revealed }))
          .status,
      ).toBe(403)
    },
  )
})

describe('discovery', () => {
  verifies(
    ['OWNR-037', 'OWNR-038'],
    'the metadata names the entrypoint and the families of the control document',
    async () => {
      const document = await readDocument()
      for (const found of await metadata()) {
        const block = found.pdpp_owner_agent_onboarding as Record<string, unknown>
        expect(block.control_surface).toEqual(document)
        expect(document.entrypoint).toBe(`${hub.url}/v1/owner/control`)
        expect(block).toMatchObject({
          mcp_owner_bearer_rejected: true,
          device_authorization_endpoint: `${hub.url}/oauth/device_authorization`,
        })
      }
    },
  )

  test('under a hosted name nothing invites an owner agent: it could not sign in there', async () => {
    const headers = { host: 'api.knowtation.store' }
    for (const path of ['/', '/.well-known/oauth-protected-resource']) {
      const { status, text } = await send(hub.url, { path, headers })
      expect([status, Object.keys(JSON.parse(text)).filter((key) => key.startsWith('pdpp_'))]).toEqual([
        200,
        [],
      ])
    }
  })

  verifies('OWNR-039', 'nothing told there is a secret or a place on the machine', async () => {
    const told = JSON.stringify([await metadata(), await readDocument()])
    const secrets = [
      ...Object.values(hub.credentials.bearers),
      bearer,
      hub.home.folder,
      ...owner.cookies.values(),
    ]
    for (const secret of secrets) if (secret) expect(told).not.toContain(secret)
    expect(told).not.toMatch(/k(hub|own|ses|tok|link|dev)_/)
  })

  verifies(
    ['OWNR-040', 'OWNR-041', 'OWNR-042'],
    'the document tells every family, with method and address exactly where there is a route',
    async () => {
      const document = await readDocument()
      expect(document).toMatchObject({
        object: 'owner_agent_control_surface',
        scope: 'reference_implementation',
        entrypoint: `${hub.url}/v1/owner/control`,
        mcp_owner_bearer_rejected: true,
      })
      expect(document.actions.map(({ family }) => family).toSorted()).toEqual([
        'cancel_run',
        'delete_connection',
        'discover_control_capabilities',
        'initiate_connection',
        'inspect_diagnostics',
        'list_connections',
        'list_connector_templates',
        'manage_event_subscriptions',
        'manage_schedule',
        'rename_connection',
        'revoke_connection',
        'run_connection',
      ])
      expect(Object.keys(document).toSorted()).toEqual([
        'actions',
        'entrypoint',
        'mcp_owner_bearer_rejected',
        'object',
        'scope',
      ])
      for (const action of document.actions) {
        const { status, method, url, reason } = action
        expect(Object.keys(action).toSorted()).toEqual(['family', 'method', 'reason', 'status', 'url'])
        expect(reason).not.toBe('')
        expect([method !== null, url !== null]).toEqual([status === 'supported', status === 'supported'])
        if (method === null || url === null) continue
        const path = url.replace(hub.url, '').replace(/\{\w+\}/g, 'none')
        const { status: answered, text } = await send(hub.url, {
          method,
          path,
          bearer,
          ...(method !== 'GET' && method !== 'DELETE' && { body: '{}' }),
        })
        expect([url, answered === 405 || text.includes('There is nothing at this address')]).toEqual([
          url,
          false,
        ])
        expect([401, 403]).not.toContain(answered)
      }
    },
  )

  verifies(['OWNR-028', 'OWNR-029'], 'cancel_run is the owner’s own to do, and harms nothing', async () => {
    const cancel = (await readDocument()).actions.find(({ family }) => family === 'cancel_run')
    expect(cancel).toMatchObject({ status: 'owner_mediated', method: null, url: null })
    for (const word of ['Non-destructive', 'run_connection', 'revoke_connection', 'delete_connection'])
      expect(cancel?.reason).toContain(word)
  })

  test('every operation that a family names is of the owner surface, where it is there', () => {
    const registry = buildRegistry(allOperations)
    for (const { operation } of FAMILIES) {
      const found = registry.get(operation)
      if (found) expect(found.authority.kind).toBe('owner_surface')
    }
  })

  test('the authorization server is described as RFC 8414 has it', async () => {
    const { text } = await send(hub.url, { path: '/.well-known/oauth-authorization-server' })
    expect(JSON.parse(text)).toMatchObject({
      issuer: hub.url,
      token_endpoint: `${hub.url}/oauth/token`,
      authorization_endpoint: `${hub.url}/oauth/authorize`,
      grant_types_supported: [
        'authorization_code',
        'refresh_token',
        'urn:ietf:params:oauth:grant-type:device_code',
      ],
    })
  })
})
