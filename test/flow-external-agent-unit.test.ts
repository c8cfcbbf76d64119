import { readdirSync, readFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { declaredTools, offeredTools } from '../src/domains/flows/allowlist.ts'
import { hostileBundle } from '../src/domains/flows/bundle/arbitrary-bundle.fixture.ts'
import { findBundleFault } from '../src/domains/flows/bundle/check-bundle.ts'
import { inertHarnesses } from '../src/domains/flows/flow-project.ts'
import { grantList } from '../src/domains/flows/grants/grant-list.ts'
import { BEARER, GRANT_ID, Grant, isExpired } from '../src/domains/flows/grants/grant-record.ts'
import { grantTerms } from '../src/domains/flows/grants/grant-terms.ts'
import { renderProjection } from '../src/domains/flows/projection/render-projection.ts'
import { hasWriteAuthority } from '../src/domains/flows/write-authority.ts'
import { isGateOn } from '../src/platform/policy/gates.ts'
import { CLOSED_POLICY, VaultPolicy } from '../src/platform/policy/vault-policy.ts'
import { AgentBundle, BUNDLE_KEYS } from './external-agent/agent-bundle-schema.ts'
import { GATE_FLOW, HIGHER_SCOPE, MALICIOUS, STARTERS, tool, UNLISTED } from './external-agent/bundles.ts'
import { ALLOWED_TOOLS } from './external-agent/gate-hub.ts'
import { verifies } from './requirements/verifies.ts'

const GRANT: Grant = {
  schema: 'knowtation.flow_external_grant/v0',
  grant_id: 'fgrnt_0123456789abcdef',
  vault_id: 'default',
  scope: 'personal',
  flow_id: 'flow_weekly_review',
  flow_version: '1.2.0',
  allowed_tools: ['web_search'],
  allowed_harnesses: ['agent_bundle'],
  expires_at: '2026-11-15T09:00:00.000Z',
  issued_at: '2026-11-15T08:00:00.000Z',
  revoked_at: null,
  actor_hash: 'a'.repeat(64),
  max_invocations: 100,
  invocation_count: 0,
}

/** No test of this file may reach the network: whatever tries fails. */
const offline = vi.fn((): never => {
  throw new Error('The network is off in these tests.')
})
const FIXTURES = join(import.meta.dirname, 'external-agent')
const ON = { FLOW_EXTERNAL_AGENT_ENABLED: '1' }
const OFF = { FLOW_EXTERNAL_AGENT_ENABLED: '0' }

const terms = (external_agent: object) => grantTerms(VaultPolicy.parse({ external_agent }))
const may = (role: 'viewer' | 'editor' | 'evaluator' | 'admin') =>
  (['personal', 'project', 'org'] as const).filter((scope) =>
    hasWriteAuthority({ kind: 'token', id: 'a', role, vaults: '*', client: 'other' }, scope),
  )
const policyOf = (ids: readonly string[]) =>
  VaultPolicy.parse({ external_agent: { allowed_tools: ids.map((id) => ({ id })) } })
const shuffled = <T>(of: readonly T[]) => fc.shuffledSubarray([...of], { minLength: of.length })
const stepsWith = (steps: readonly (readonly string[])[]) =>
  steps.map((ids) => ({ skill_refs: ids.map(tool) }))
const inert = (env: NodeJS.ProcessEnv) =>
  inertHarnesses(isGateOn('FLOW_EXTERNAL_AGENT_ENABLED', env, CLOSED_POLICY))

beforeAll(() => void vi.spyOn(Socket.prototype, 'connect').mockImplementation(offline))
afterAll(() => {
  vi.restoreAllMocks()
  // The one attempt is the proof below that the network is really off.
  expect(offline.mock.calls.length).toBeLessThanOrEqual(1)
})

verifies('GATE-164', 'these tests run with the network off', async () => {
  const attempt = await fetch('http://127.0.0.1:4747/').catch((error: Error) => error)
  expect(String((attempt as Error).cause ?? attempt)).toContain('The network is off')
})

const TIERS = ['data-integrity', 'e2e', 'parity-integration', 'performance', 'security', 'stress', 'unit']

/** The files of the tests' fixtures that a test file leads to. */
function fixturesOf(file: string, seen = new Set<string>()): Set<string> {
  const names = readFileSync(file, 'utf8').matchAll(/from '(\.[^']*\.ts)'/g)
  for (const [, name = ''] of names) {
    const path = join(dirname(file), name)
    if (!path.startsWith(FIXTURES) || seen.has(path)) continue
    seen.add(path)
    fixturesOf(path, seen)
  }
  return seen
}

describe('the tiers', () => {
  verifies('GATE-161', 'are the seven of the contract', () => {
    const files = readdirSync(import.meta.dirname).filter((name) => name.startsWith('flow-external-agent-'))
    expect(files.toSorted()).toEqual(TIERS.map((tier) => `flow-external-agent-${tier}.test.ts`))
  })

  verifies('GATE-163', 'share the starter flows and three bundles made to go wrong', () => {
    for (const tier of TIERS) {
      const file = join(import.meta.dirname, `flow-external-agent-${tier}.test.ts`)
      expect([tier, fixturesOf(file).has(join(FIXTURES, 'bundles.ts'))]).toEqual([tier, true])
    }
    for (const bundle of [...STARTERS, MALICIOUS, UNLISTED, HIGHER_SCOPE])
      expect(findBundleFault(bundle)).toBeUndefined()
    expect(STARTERS.map(({ flow }) => flow.flow_id)).toContain('flow_research_brief')
    expect(MALICIOUS.steps[0]?.instruction).toContain('<script>')
    const listed = new Set(ALLOWED_TOOLS.map(({ id }) => id))
    expect(declaredTools(UNLISTED.steps).filter((id) => !listed.has(id))).toEqual(['pager_call'])
    expect(HIGHER_SCOPE.flow.scope).toBe('org')
  })
})

describe('a grant record', () => {
  verifies('GATE-165', 'is valid in the form of the contract and in no other', () => {
    expect(Grant.parse(GRANT)).toEqual(GRANT)
    expect(Grant.safeParse({ ...GRANT, revoked_at: '2026-11-15T08:30:00.000Z' }).success).toBe(true)
    for (const key of Object.keys(GRANT)) {
      const { [key as keyof Grant]: _left, ...rest } = GRANT
      expect([key, Grant.safeParse(rest).success]).toEqual([key, false])
    }
    expect(Grant.safeParse({ ...GRANT, note: 'x' }).success).toBe(false)
    // At least one wrong value for each field: a field that takes anything is no form.
    const wrong: Record<keyof Grant, unknown[]> = {
      schema: ['knowtation.flow_external_grant/v1'],
      grant_id: ['fgrnt_SHOUTED0'],
      vault_id: [7],
      scope: ['galaxy'],
      flow_id: ['weekly_review'],
      flow_version: [1.2],
      allowed_tools: ['web_search', [7]],
      allowed_harnesses: [['cursor_rule'], [], ['agent_bundle', 'agent_bundle']],
      expires_at: ['tomorrow', null],
      issued_at: ['today'],
      revoked_at: ['never'],
      actor_hash: ['A'.repeat(64), 'a'.repeat(63)],
      max_invocations: [-1],
      invocation_count: [0.5],
    }
    for (const [key, values] of Object.entries(wrong))
      for (const value of values)
        expect([key, value, Grant.safeParse({ ...GRANT, [key]: value }).success]).toEqual([key, value, false])
  })

  verifies('GATE-166', 'lists of grants have no place for a bearer', () => {
    const list = { schema: 'knowtation.flow_external_grant_list/v0', vault_id: 'default', grants: [GRANT] }
    const { output } = grantList
    expect(output.safeParse(list).success).toBe(true)
    for (const key of ['bearer', 'grant_bearer_hash', 'token']) {
      expect(output.safeParse({ ...list, [key]: 'x' }).success).toBe(false)
      expect(output.safeParse({ ...list, grants: [{ ...GRANT, [key]: 'x' }] }).success).toBe(false)
    }
    const documented = JSON.stringify(z.toJSONSchema(output, { io: 'output' }))
    expect(documented.replaceAll(String(GRANT_ID.source), '')).not.toMatch(/"[^"]*bearer[^"]*":/i)
  })

  test('has an id that no bearer can be taken for', () => {
    expect(GRANT_ID.test(`fgrnt_bearer_${'0'.repeat(32)}`)).toBe(false)
    expect(BEARER.test(GRANT.grant_id)).toBe(false)
    expect(BEARER.test(`dgrnt_bearer_${'0'.repeat(64)}`)).toBe(false)
  })

  test('is expired after its moment, and when nobody can read the moment', () => {
    const at = (text: string) => isExpired(GRANT, new Date(text))
    expect([at('2026-11-15T09:00:00.000Z'), at('2026-11-15T09:00:00.001Z')]).toEqual([false, true])
    expect(isExpired({ ...GRANT, expires_at: 'whenever' }, new Date(0))).toBe(true)
  })

  test('is bound by the policy within our own bounds', () => {
    expect(grantTerms(CLOSED_POLICY)).toMatchObject({
      default_ttl_seconds: 3_600,
      max_ttl_seconds: 86_400,
      max_invocations: 100,
    })
    expect(terms({ max_ttl_seconds: 999_999 }).max_ttl_seconds).toBe(86_400)
    expect(terms({ default_ttl_seconds: 999_999 }).default_ttl_seconds).toBe(86_400)
    expect(terms({ default_ttl_seconds: 7_200, max_ttl_seconds: 600 }).default_ttl_seconds).toBe(600)
  })

  test('takes write authority over its scope to make', () => {
    expect([may('viewer'), may('evaluator')]).toEqual([[], []])
    expect([may('editor'), may('admin')]).toEqual([
      ['personal', 'project'],
      ['personal', 'project', 'org'],
    ])
  })
})

describe('the tools on offer', () => {
  verifies('GATE-167', 'are the same whatever the order of steps, references and allowlist', () => {
    const id = fc.constantFrom('a', 'b', 'c', 'd', 'web_search', 'B')
    const choice = fc
      .tuple(fc.array(fc.uniqueArray(id), { maxLength: 4 }), fc.uniqueArray(id))
      .chain(([steps, allowed]) =>
        fc.tuple(
          fc.constant({ steps, allowed }),
          shuffled(steps).chain((some) => fc.tuple(...some.map(shuffled))),
          shuffled(allowed),
        ),
      )
    fc.assert(
      fc.property(choice, ([{ steps, allowed }, other_steps, other_allowed]) => {
        const found = offeredTools(stepsWith(steps), policyOf(allowed))
        expect(offeredTools(stepsWith(other_steps), policyOf(other_allowed))).toEqual(found)
        const both = new Set(steps.flat().filter((one) => allowed.includes(one)))
        expect(found).toEqual([...both].toSorted())
      }),
    )
  })

  test('are none without a policy, and never what only another kind of reference names', () => {
    expect(offeredTools(GATE_FLOW.steps, CLOSED_POLICY)).toEqual([])
    expect(offeredTools(GATE_FLOW.steps, policyOf(['shell']))).toEqual([])
    expect(offeredTools(MALICIOUS.steps, policyOf(['web_search']))).toEqual([])
    expect(offeredTools(UNLISTED.steps, policyOf(['web_search']))).toEqual(['web_search'])
  })
})

describe('the bundle of an agent', () => {
  verifies('GATE-168', 'is valid by its schema, for the flows of the tests and for any other', () => {
    for (const bundle of [...STARTERS, MALICIOUS, UNLISTED, HIGHER_SCOPE, GATE_FLOW]) {
      const { rendered } = renderProjection({ ...bundle, harness: 'agent_bundle', allowed_tools: ['a'] })
      const parsed = AgentBundle.parse(JSON.parse(rendered))
      expect(Object.keys(JSON.parse(rendered))).toEqual(BUNDLE_KEYS)
      expect(parsed.steps).toHaveLength(bundle.steps.length)
    }
    fc.assert(
      fc.property(hostileBundle, (bundle) => {
        const { rendered } = renderProjection({ ...bundle, harness: 'agent_bundle' })
        expect(AgentBundle.safeParse(JSON.parse(rendered)).error).toBeUndefined()
      }),
      { numRuns: 50 },
    )
  })

  verifies(['GATE-162', 'GATE-169'], 'is inert with the gate off, and alive with it on', () => {
    expect(inert(OFF)).toContain('agent_bundle')
    expect(inert({})).toContain('agent_bundle')
    expect(inert(ON)).not.toContain('agent_bundle')
  })
})
