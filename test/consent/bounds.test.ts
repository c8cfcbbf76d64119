import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { OPEN_POLICY } from '../browser/owner-browser.fixture.ts'
import type { Visitor } from '../control/owner-visitor.ts'
import type { TestHub } from '../harness/test-hub.ts'
import {
  allow,
  ask,
  askToComeIn,
  connect,
  GRANT,
  leftBy,
  movedClock,
  newestConsent,
  read,
  refresh,
  startSignInHub,
} from './sign-in.fixture.ts'

const clock = movedClock()
let hub: TestHub
let owner: Visitor
beforeEach(async () => {
  ;({ hub, owner } = await startSignInHub({ clock }))
})
afterEach(() => hub.close())

/** Whether a call goes through; otherwise what the program hears. */
async function use(token: string, args: object = {}): Promise<true | string> {
  const { result } = await ask(hub, token, 'tools/call', { name: 'web_search', arguments: args })
  return result.isError === true ? JSON.stringify(result) : true
}

const MANY = { ...GRANT, max_invocations: '100' }

test('the owner bounds the calls of a minute, whatever is renewed meanwhile', async () => {
  const { tokens, client_id } = await connect(hub, owner, { ...MANY, calls_per_minute: '2' })
  expect([await use(tokens.access_token), await use(tokens.access_token)]).toEqual([true, true])
  expect(await use(tokens.access_token)).toContain('RATE_LIMITED')
  clock.forward(5)
  const next = read(await refresh(hub, client_id, tokens.refresh_token))
  expect(await use(next.access_token)).toContain('RATE_LIMITED')
  clock.forward(61)
  expect(await use(next.access_token)).toBe(true)
  // What the owner does not bound here, the policy does.
  const free = await connect(hub, owner, MANY)
  for (let at = 0; at < 4; at++) expect(await use(free.tokens.access_token)).toBe(true)
})

test('where the policy is tighter than the owner at the page, the policy counts', async () => {
  hub.write(hub.home.vaultPolicy('default'), {
    ...OPEN_POLICY,
    external_agent: { ...OPEN_POLICY.external_agent, calls_per_minute: 1 },
  })
  const { tokens } = await connect(hub, owner, { ...MANY, calls_per_minute: '50' })
  expect(await use(tokens.access_token)).toBe(true)
  expect(await use(tokens.access_token)).toContain('RATE_LIMITED')
})

test('what is sent and what is answered', async () => {
  const server = createServer((_request, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify({ text: 'x'.repeat(500) }))
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  const provider = { kind: 'http', method: 'POST', url: `http://127.0.0.1:${port}/` }
  hub.write(hub.home.vaultPolicy('default'), {
    ...OPEN_POLICY,
    external_agent: {
      ...OPEN_POLICY.external_agent,
      allowed_tools: [{ id: 'web_search', provider }, 'calendar'],
    },
  })
  try {
    const free = await connect(hub, owner, MANY)
    expect(await use(free.tokens.access_token, { q: 'x'.repeat(200) })).toBe(true)
    const small = await connect(hub, owner, { ...MANY, max_payload_bytes: '100' })
    expect(await use(small.tokens.access_token, { q: 'x'.repeat(200) })).toContain('larger than')
    expect(await use(small.tokens.access_token, { q: 'x' })).toBe(true)
    clock.forward(1)
    const brief = await connect(hub, owner, { ...MANY, max_result_bytes: '100' })
    expect(await use(brief.tokens.access_token, { q: 'x' })).toContain('FLOW_EXTERNAL_PROVIDER_FAILED')
    expect(await newestConsent(hub)).toMatchObject({ bounds: { max_result_bytes: 100 } })
  } finally {
    server.closeAllConnections()
    await new Promise((done) => server.close(done))
  }
})

test.each(['0', '-1', '1.5', 'many', '9999999999'])(
  'a bound of %s is refused, and nothing allowed',
  async (calls) => {
    const { path } = await askToComeIn(hub)
    const left = await leftBy(hub, async () => {
      const { answer } = await allow(owner, path, { ...GRANT, calls_per_minute: calls })
      expect(answer.status).toBe(400)
    })
    expect(left).toEqual([0, 0])
  },
)
