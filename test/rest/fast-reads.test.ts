import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ask, startTwoWays, type TwoWays } from './two-ways.fixture.ts'

let ways: TwoWays
beforeAll(async () => void (ways = await startTwoWays()))
afterAll(() => ways.close())

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

test('a read is answered alike with and without the framework', async () => {
  await fc.assert(
    fc.asyncProperty(path, query, credential, more, async (where, asked, who, extra) => {
      const given = { path: where + asked, headers: ways.headersFor(who, extra) }
      const fast = await ask({ port: ways.ports.fast, ...given })
      const slow = await ask({ port: ways.ports.framework, ...given })
      // Refused sign-ins are counted per address, so only one of the two may be the first over the limit.
      if (fast.status === 429 || slow.status === 429) return
      expect(fast).toEqual(slow)
    }),
    { numRuns: 400 },
  )
}, 60_000)
