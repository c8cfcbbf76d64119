import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ownerOrigin } from '../control/owner-visitor.ts'
import { connectClient } from '../harness/call-mcp.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { type AskingHub, asOwner, call, decide, startAskingHub, waiting } from './approvals.fixture.ts'
import type { Json } from './gate-hub.ts'

const CANARY = 'canary-arguments-77aa31'
const WHO = ['anonymous', 'viewer', 'editor', 'evaluator', 'admin', 'gateway', 'hub'] as const

let asking: AskingHub
let one: Json
beforeAll(async () => {
  // Otherwise most tries would be turned away for being too many.
  asking = await startAskingHub({ config: { rate_limits: { failed_authentications_per_minute: 1_000_000 } } })
  await call(asking, 'post', { text: CANARY })
  ;[one] = await waiting(asking.hub)
})
afterAll(() => asking.close())

/** What a program can say of itself and of where it comes from. */
function disguises(): Record<string, Record<string, string>> {
  const origin = ownerOrigin(asking.hub)
  const { host } = new URL(origin)
  return {
    'as it is': {},
    'from the pages of the owner': { origin, host, referer: `${origin}/owner` },
    'behind a proxy of this machine': {
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': host,
      'x-forwarded-proto': 'https',
      'x-real-ip': '127.0.0.1',
      forwarded: `for=127.0.0.1;host=${host};proto=https`,
    },
    'with cookies of its own making': {
      origin,
      host,
      cookie: `knowtation_owner_${new URL(origin).port}=${'0'.repeat(64)}; __Host-knowtation_owner=1`,
    },
    'with headers that others believe': {
      'x-http-method-override': 'POST',
      'x-original-url': '/v1/owner/approvals',
      'x-remote-user': 'owner',
      'x-knowtation-presence': one.approval_id,
      'x-flow-external-bearer': asking.grant.presented.external_bearer ?? '',
    },
  }
}

const decision = (more: object = {}) => JSON.stringify({ decision: 'approve', digest: one.digest, ...more })

/** Every way to the decision and to the page of it that an address could be written. */
function addresses(): string[] {
  const path = `/v1/owner/approvals/${one.approval_id}`
  const word = `${path}/decision`
  return [
    path,
    word,
    `${word}/`,
    `/${word}`,
    word.toUpperCase(),
    `/x/..${word}`,
    `/v1/./owner/approvals/${one.approval_id}/decision`,
    word.replace('/owner/', '/%6fwner/'),
    `${word}?decision=approve&digest=${one.digest}`,
    `/owner/approvals/${one.approval_id}`,
    `/owner/approvals/${one.approval_id}/approve`,
    '/v1/owner/approvals',
    '/v1/owner/policy',
    '/v1/owner/policy/history',
    '/api/v1/explain',
    '/api/v1/audit',
    '/metrics',
    '/console',
  ]
}

describe('whoever is not the owner', () => {
  test.each(WHO)('neither decides nor sees what waits, whatever it says of itself: %s', async (who) => {
    const { hub, endpoint } = asking
    const bearer = hub.credentials.bearers[who]
    for (const [disguise, headers] of Object.entries(disguises()))
      for (const path of addresses())
        for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
          const body = method === 'GET' ? {} : { body: decision({ for: 'grant', caller: { kind: 'local' } }) }
          const { text } = await send(hub.url, { method, path, bearer, headers, ...body })
          expect([disguise, method, path, text.includes(CANARY)]).toEqual([disguise, method, path, false])
        }
    const { body } = await asOwner(hub, 'GET', `/v1/owner/approvals/${one.approval_id}`)
    expect([body.state, body.digest, endpoint.got]).toEqual(['waiting', one.digest, []])
  })

  test('does no better over MCP, by any name and with the grant in hand', async () => {
    const { hub, endpoint, grant } = asking
    const held = { 'x-flow-external-bearer': grant.presented.external_bearer ?? '' }
    for (const more of [{}, held]) {
      const client = await connectClient(`${hub.url}/mcp`, hub.credentials.bearers.admin, undefined, more)
      const names = [
        'owner_approval_decide',
        'owner_approval_approve',
        'owner_approval_show',
        'approval_approve',
      ]
      for (const name of names) {
        const told = await client
          .callTool({ name, arguments: JSON.parse(decision({ approval_id: one.approval_id })) })
          .catch((error: Error) => ({ isError: true, content: error.message }))
        expect([name, told.isError, JSON.stringify(told).includes(CANARY)]).toEqual([name, true, false])
      }
      const { tools } = await client.listTools()
      expect(tools.map(({ name }) => name).filter((name) => name.startsWith('owner_'))).toEqual([])
      await client.close()
    }
    expect(endpoint.got).toEqual([])
  })

  test('gains nothing by saying the owner’s word for something else', async () => {
    const { hub, endpoint } = asking
    await call(asking, 'post', { text: 'harmless' })
    const other = (await waiting(hub)).find(({ arguments: sent }: Json) => sent.text === 'harmless')
    const path = `/v1/owner/approvals/${one.approval_id}/decision`
    const swapped = await asOwner(hub, 'POST', path, { decision: 'approve', digest: other.digest })
    expect([swapped.status, endpoint.got]).toEqual([409, []])
    await decide(hub, other.approval_id, 'approve')
    expect((await call(asking, 'post', { text: CANARY })).status).toBe(202)
    expect((await call(asking, 'post', { text: 'harmless' })).status).toBe(200)
    expect(endpoint.got).toHaveLength(1)
  })
})
