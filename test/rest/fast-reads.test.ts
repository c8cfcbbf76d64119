import { request } from 'node:http'
import type { AddressInfo } from 'node:net'
import fc from 'fast-check'
import type { FastifyInstance } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { authenticator } from '../../src/platform/identity/authenticate.ts'
import { buildApp } from '../../src/surfaces/rest/build-app.ts'
import { registry } from '../harness/call.ts'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'

let hub: TestHub
let framework: FastifyInstance
let ports: { fast: number; framework: number }

beforeAll(async () => {
  hub = await startTestHub({ clock: { now: new Date('2026-11-15T12:00:00Z') } })
  const hubToken = hub.credentials.bearers.hub ?? ''
  const authenticate = authenticator({
    db: hub.hub.db,
    now: hub.hub.system.now,
    hubToken,
    verifyJwt: undefined,
  })
  framework = buildApp(hub.hub, registry, authenticate, { fast: false })
  await framework.listen({ host: '127.0.0.1', port: 0 })
  ports = { fast: Number(new URL(hub.url).port), framework: (framework.server.address() as AddressInfo).port }
})
afterAll(async () => {
  await framework.close()
  await hub.close()
})

interface Asked {
  path: string
  headers: Record<string, string>
}

interface Told {
  status: number | undefined
  headers: object
  body: string
}

function ask(port: number, { path, headers }: Asked): Promise<Told> {
  return new Promise((resolve, reject) => {
    const asked = request(
      { host: '127.0.0.1', port, path, headers: { host: 'localhost', ...headers } },
      (answer) => {
        let body = ''
        answer.on('data', (chunk) => (body += chunk))
        answer.on('end', () => {
          const { date: _date, ...told } = answer.headers
          resolve({ status: answer.statusCode, headers: told, body })
        })
      },
    )
    asked.on('error', reject)
    asked.end()
  })
}

const segment = fc.constantFrom(
  'api',
  'v1',
  'flows',
  'flow_research_brief',
  'flow_nope',
  'Flow-1',
  'projection',
  'export',
  'whoami',
  'tokens',
  'audit',
  'proposals',
  'external-grants',
  'healthz',
  'x',
  '%41',
  '..',
  '',
)
const knownPath = fc.constantFrom(
  '/api/v1/flows',
  '/api/v1/flows/flow_research_brief',
  '/api/v1/flows/flow_nope',
  '/api/v1/flows/flow_research_brief/projection',
  '/api/v1/flows/flow_research_brief/export',
  '/api/v1/flows/external-grants',
  '/api/v1/whoami',
  '/api/v1/tokens',
  '/api/v1/proposals',
)
const path = fc.oneof(
  { weight: 4, arbitrary: knownPath },
  fc.array(segment, { maxLength: 6 }).map((parts) => `/${parts.join('/')}`),
)
const pair = fc.constantFrom(
  'scope=personal',
  'scope=galaxy',
  'limit=1',
  'limit=x',
  'version=0.1.0',
  'version=1',
  'harness=cursor_rule',
  'harness=vim',
  'harness=agent_bundle',
  'tag=',
  '__proto__=1',
  'flow_id=flow_nope',
  'a%20b=1',
  'x',
)
const query = fc.array(pair, { maxLength: 3 }).map((pairs) => (pairs.length > 0 ? `?${pairs.join('&')}` : ''))
const credential = fc.constantFrom('none', 'hub', 'viewer', 'editor', 'admin', 'nonsense')
const more = fc.constantFrom<Record<string, string>>(
  {},
  { 'x-vault-id': 'team1' },
  { 'x-vault-id': '../x' },
  { origin: 'http://evil.example' },
  { host: 'evil.example' },
  { 'x-flow-external-bearer': 'fgrnt_bearer_wrong' },
  { 'user-agent': 'curl/8' },
)

function headersFor(who: string, extra: Record<string, string>): Record<string, string> {
  const bearers: Record<string, string | undefined> = { ...hub.credentials.bearers, nonsense: 'nonsense' }
  return { ...(who !== 'none' && { authorization: `Bearer ${bearers[who]}` }), ...extra }
}

test('a read is answered alike with and without the framework', async () => {
  await fc.assert(
    fc.asyncProperty(path, query, credential, more, async (where, asked, who, extra) => {
      const given = { path: where + asked, headers: headersFor(who, extra) }
      const [fast, slow] = [await ask(ports.fast, given), await ask(ports.framework, given)]
      // Refused sign-ins are counted per address, so only one of the two may be the first over the limit.
      if (fast.status === 429 || slow.status === 429) return
      expect(fast).toEqual(slow)
    }),
    { numRuns: 400 },
  )
}, 60_000)
