import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Operation } from '../../src/operations/define-operation.ts'
import type { TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { allCredentials, type Credential, jwt, type Seen } from './credentials.fixture.ts'
import { codeOf, recorded, send, startRestHub } from './rest-hub.fixture.ts'
import {
  answerOf,
  EXPECTATIONS,
  type Needs,
  OPEN_GATES,
  requestOf,
  requireExpectation,
  routed,
} from './routes.fixture.ts'

const HOSTED = 'api.knowtation.store'
const MAY: Readonly<Record<Needs, readonly Seen[]>> = {
  read: ['viewer', 'editor', 'evaluator', 'admin', 'hub'],
  write: ['editor', 'admin', 'hub'],
  evaluate: ['evaluator', 'admin', 'hub'],
  admin: ['admin', 'hub'],
  // No credential of the owner's is among those that are tried here.
  owner: [],
  owner_surface: [],
  owner_session: [],
  seat: [],
  any_seat: [],
}

let hub: TestHub
let credentials: Credential[]
beforeAll(async () => {
  hub = await startRestHub({ env: OPEN_GATES })
  credentials = await allCredentials(hub)
})
afterAll(() => hub.close())

function call(operation: Operation, credential: Pick<Credential, 'authorization'>, host?: string) {
  const sent = requestOf(operation, requireExpectation(operation).input(hub))
  const { authorization } = credential
  const headers = { ...(authorization && { authorization }), ...(host && { host }) }
  return send(hub.url, { ...sent, headers })
}

function expectedAnswer(operation: Operation, seen: Seen): string {
  const { needs, answer } = requireExpectation(operation)
  if (needs === 'owner_surface' || needs === 'owner_session') return expectedOfOwners(needs, answer, seen)
  if (seen === 'nobody') return '401 UNAUTHENTICATED'
  if (needs === 'seat') return answer
  if (seen === 'foreign') return '403 VAULT_DENIED'
  return MAY[needs].includes(seen) ? answer : '403 FORBIDDEN'
}

/** The owner's surface has its own words, and vaults mean nothing to who may not come in. */
function expectedOfOwners(needs: 'owner_surface' | 'owner_session', answer: string, seen: Seen): string {
  if (MAY[needs].includes(seen)) return answer
  // Where only a session counts, any other credential is none.
  if (seen === 'nobody' || needs === 'owner_session') return '401 authentication_error'
  return '403 permission_error'
}

function isOfOwners(operation: Operation): boolean {
  return requireExpectation(operation).needs.startsWith('owner_s')
}

describe('every route', () => {
  test('has an expectation, and every expectation a route', () => {
    expect(Object.keys(EXPECTATIONS).toSorted()).toEqual(routed.map(({ name }) => name).toSorted())
  })

  test.each(routed.map((operation) => [operation.rest, operation] as const))(
    '%s answers each credential on loopback as it should',
    async (_route, operation) => {
      const answers: Record<string, string> = {}
      for (const one of credentials) answers[one.name] = answerOf(await call(operation, one))
      const expected = credentials.map(({ name, seen }) => [name, expectedAnswer(operation, seen)])
      expect(answers).toEqual(Object.fromEntries(expected))
    },
  )

  verifies(
    ['GATE-004', 'GATE-072'],
    'knows no local credential under a hosted name, and no grant bearer anywhere',
    async () => {
      const wrong: string[] = []
      for (const operation of routed) {
        for (const one of credentials) {
          const answer = answerOf(await call(operation, one, HOSTED))
          const expected = expectedAnswer(operation, one.hosted ? one.seen : 'nobody')
          if (answer !== expected) wrong.push(`${operation.name}, ${one.name}: ${answer}`)
        }
      }
      expect(wrong).toEqual([])
    },
    60_000,
  )

  verifies('GATE-016', 'answers 401 in the same bytes whether or not the id exists', async () => {
    for (const operation of routed) {
      const input = requireExpectation(operation).input(hub)
      const missing = { ...input, flow_id: 'flow_nope', token_id: 'tok_0000000000000000' }
      const bodies = []
      for (const sample of [input, missing, { ...input, flow_id: '%%%', token_id: '..' }]) {
        const answer = await send(hub.url, requestOf(operation, sample))
        expect(answer.status).toBe(401)
        const plain = 'Bearer realm="knowtation"'
        const whole = `${plain}, resource_metadata="${hub.url}/.well-known/oauth-protected-resource"`
        expect(answer.headers['www-authenticate']).toBe(isOfOwners(operation) ? whole : plain)
        bodies.push(answer.text.replace(/req_[0-9a-f]{16}/, 'req_'))
      }
      expect(new Set(bodies).size).toBe(1)
    }
  })

  verifies(
    'FLOW-072',
    'takes the role of an agent from its scopes alone, and its vaults from its list',
    async () => {
      const aud = 'knowtation-hub-rest'
      const roles = { 'vault:read': 'viewer', '': 'viewer', propose: 'editor', 'vault:write': 'editor' }
      const named = [{ type: 'agent_access' }, { type: 'mcp_access' }, { typ: 'kt_agent_access' }]
      for (const type of named)
        for (const [scope, role] of Object.entries(roles))
          for (const given of [{ scope: `openid ${scope}` }, { scopes: ['openid', scope] }]) {
            const bearer = await jwt({ claims: { ...type, role: 'admin', aud, ...given } })
            const told = JSON.parse((await send(hub.url, { path: '/api/v1/whoami', bearer })).text)
            expect([type, given, told.role, told.scopes.includes('org')]).toEqual([type, given, role, false])
            const headers = { 'x-vault-id': 'other' }
            const refused = await send(hub.url, { path: '/api/v1/whoami', bearer, headers })
            expect([refused.status, codeOf(refused)]).toEqual([403, 'VAULT_DENIED'])
          }
    },
  )

  test('refuses with the recorded code, once, and without naming what was asked', async () => {
    for (const operation of routed) {
      const { result, records } = await recorded(hub, () => call(operation, { authorization: undefined }))
      expect(result.status).toBe(401)
      expect(records).toHaveLength(1)
      expect(records[0]).toMatchObject({
        operation: operation.name,
        surface: 'rest',
        outcome: 'denied',
        code: isOfOwners(operation) ? 'authentication_error' : 'UNAUTHENTICATED',
        vault_id: '-',
        caller_id: '-',
        target_id: null,
        repeats: 1,
      })
    }
  })
})

describe('the MCP door', () => {
  test('lets in exactly those whom the routes know', async () => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })
    for (const host of [undefined, HOSTED]) {
      const answers: Record<string, boolean> = {}
      for (const { name, authorization } of credentials) {
        const headers = {
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': '2025-06-18',
          ...(authorization && { authorization }),
          ...(host && { host }),
        }
        const { status } = await send(hub.url, { method: 'POST', path: '/mcp', body, headers })
        answers[name] = status !== 401
      }
      const known = credentials.map((one) => [one.name, one.seen !== 'nobody' && (!host || one.hosted)])
      expect(answers).toEqual(Object.fromEntries(known))
    }
  })
})
