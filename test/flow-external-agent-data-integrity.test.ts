import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { AgentBundle, BUNDLE_KEYS, STEP_KEYS } from './external-agent/agent-bundle-schema.ts'
import {
  GATE_FLOW,
  GATE_FLOW_NEXT,
  HIGHER_SCOPE,
  LOSSY,
  MALICIOUS,
  MALICIOUS_TEXT,
  PLAIN_FLOW,
  STARTERS,
  stepsOf,
  tool,
} from './external-agent/bundles.ts'
import { describeEdits } from './external-agent/edit-cases.ts'
import {
  ALLOWED_TOOLS,
  ask,
  bundleIn,
  type Json,
  listed,
  mint,
  policyWith,
  startGateHub,
  startGateway,
  turnGate,
  USE,
  writePolicy,
} from './external-agent/gate-hub.ts'
import { DATABASES, storeFlows, type TestHub } from './harness/test-hub.ts'
import { bundleOf } from './parity/sample-flows.ts'
import { citedRules } from './requirements/cited-rules.ts'
import { verifies } from './requirements/verifies.ts'

const GRANT_KEYS =
  'schema grant_id vault_id scope flow_id flow_version allowed_tools allowed_harnesses expires_at issued_at revoked_at actor_hash max_invocations invocation_count'
const LONG_TOOL = 'x'.repeat(256)
const INTENT = { intent: 'It helps.' }
let hub: TestHub
let gateway: { url: string; close(): Promise<void> }

const BIG_STEP = { instruction: 'ö漢😀'.repeat(222), skill_refs: [tool('beta')] }
const EXTRA_FLOWS = [
  bundleOf('flow_big', {}, 100, BIG_STEP),
  stepsOf('flow_abc', {}, [{ skill_refs: [tool('beta'), tool('alpha'), tool('pager_call')] }]),
  stepsOf('flow_long_tool', { version: '1.2.0' }, [{ skill_refs: [tool(LONG_TOOL)] }]),
  stepsOf('flow_lossy', {}, [{ automatable: 'agent_assisted' }]),
  ...LOSSY.values(),
]

function useHub(gate: 'on' | 'off', database: (typeof DATABASES)[number] = 'sqlite'): void {
  beforeAll(async () => {
    hub = await startGateHub(gate, { database, env: { FLOW_HOSTED_PROJECTION_ENABLED: '1' } })
    gateway = await startGateway(hub)
    await storeFlows(hub.hub, 'default', EXTRA_FLOWS)
  })
  afterEach(() => {
    turnGate(hub, gate === 'on' ? '1' : '0')
    writePolicy(hub)
  })
  afterAll(async () => {
    await gateway.close()
    await hub.close()
  })
}

const kept = (step: Json) => Object.fromEntries(STEP_KEYS.map((key) => [key, step[key]]))
const refs = (steps: Json[]) => steps.map(({ skill_refs }) => skill_refs)

const project = (flow_id: string, input: object = {}, how: object = {}) =>
  ask(hub, 'flow_project', { flow_id, harness: 'agent_bundle', ...input }, how)

async function projectBundle(flow_id: string, input: object = {}): Promise<Json> {
  return bundleIn(await project(flow_id, input, { as: 'admin' }))
}

describe.each(DATABASES)('a grant on %s', (database) => {
  useHub('on', database)

  verifies(['GATE-042', 'GATE-043'], 'has exactly its keys, at mint and in the list', async () => {
    for (const way of ['rest', 'mcp', 'cli'] as const) {
      const { grant } = await mint(hub, {}, { way })
      const [first] = await listed(hub, {}, { way })
      for (const one of [grant, first ?? {}]) expect(Object.keys(one).join(' ')).toBe(GRANT_KEYS)
      expect(grant.schema).toBe('knowtation.flow_external_grant/v0')
    }
  })

  verifies('GATE-044', 'has an id of its own form, 500 times', async () => {
    const ids = new Set<string>()
    for (let made = 0; made < 500; made++) {
      const { grant } = await mint(hub, {}, { way: 'direct' })
      expect(grant.grant_id).toMatch(/^fgrnt_(?!bearer_)[a-z0-9_]{8,48}$/)
      ids.add(grant.grant_id)
    }
    expect(ids.size).toBe(500)
  })

  verifies('GATE-185', 'survives list and revoke as it was, without its bearer', async () => {
    const { grant, bearer, presented } = await mint(hub, { requested_tools: ['alpha', 'beta'] })
    await ask(hub, 'flow_external_tool_invoke', { ...USE, tool_id: 'beta' }, { presented })
    const used = { ...grant, invocation_count: 1 }
    expect((await listed(hub))[0]).toEqual(used)
    const revoked = await ask(hub, 'flow_external_grant_revoke', { grant_id: grant.grant_id })
    expect(revoked.body).toEqual({ ...used, revoked_at: revoked.body.revoked_at })
    const list = await ask(hub, 'flow_external_grant_list')
    expect(list.body.grants[0]).toEqual(revoked.body)
    for (const { text } of [list, revoked]) {
      expect(text).not.toMatch(/bearer/i)
      expect(text).not.toContain(bearer.slice('fgrnt_bearer_'.length))
    }
  })

  test('can be for a tool whose id is as long as an id may be', async () => {
    writePolicy(hub, { allowed_tools: [LONG_TOOL] })
    const long = { flow_id: 'flow_long_tool', flow_version: '1.2.0' }
    const { presented } = await mint(hub, { ...long, requested_tools: [LONG_TOOL] })
    const invoked = await ask(
      hub,
      'flow_external_tool_invoke',
      { ...long, tool_id: LONG_TOOL },
      { presented },
    )
    expect(invoked.body.accepted).toBe(true)
  })
})

describe('a bundle, gate on', () => {
  useHub('on')

  verifies(['GATE-113', 'GATE-114', 'GATE-126'], 'is a JSON text with its keys in order', async () => {
    const { body } = await project('flow_gate')
    expect(typeof body.projection.rendered).toBe('string')
    expect(Object.keys(JSON.parse(body.projection.rendered))).toEqual(BUNDLE_KEYS)
    expect(body.projection).toMatchObject({ generated_from_canonical: true, editable: false })
    const { rendered } = body.projection
    expect(rendered.indexOf('"generated_marker"')).toBeLessThan(rendered.indexOf('"steps"'))
  })

  verifies(
    ['GATE-115', 'GATE-116', 'GATE-182'],
    'carries its flow over: scope, version, steps, references and verification',
    async () => {
      const flows = [...STARTERS, GATE_FLOW, GATE_FLOW_NEXT, PLAIN_FLOW, MALICIOUS, HIGHER_SCOPE]
      for (const { flow } of flows) {
        const { flow_id, version } = flow
        const got = (await ask(hub, 'flow_get', { flow_id, version }, { as: 'admin' })).body
        const bundle = AgentBundle.parse(await projectBundle(flow_id, { version }))
        const { title, summary, scope } = got.flow
        const marker = `GENERATED FROM CANONICAL FLOW ${flow_id}@${version} — DO NOT EDIT`
        expect(bundle).toMatchObject({ flow_id, flow_version: version, title, summary, scope })
        expect([bundle.schema, bundle.generated_marker]).toEqual(['knowtation.agent_bundle/v0', marker])
        expect(bundle.steps).toEqual(got.steps.map(kept))
      }
    },
  )

  verifies('GATE-117', 'always requires a grant', async () => {
    const { presented } = await mint(hub)
    for (const flow_id of ['flow_gate', 'flow_plain', 'flow_malicious'])
      expect((await projectBundle(flow_id)).grant_required).toBe(true)
    const held = await project('flow_gate', { version: '1.2.0' }, { presented })
    expect(bundleIn(held).grant_required).toBe(true)
  })

  verifies(['GATE-118', 'GATE-183'], 'lists what is declared and allowed, in order, each time', async () => {
    const first = await project('flow_abc')
    expect(bundleIn(first).allowed_tools).toEqual(['alpha', 'beta'])
    expect((await projectBundle('flow_plain')).allowed_tools).toEqual([])
    const hashes = new Set([first.body.generator.content_hash])
    for (const allowed_tools of [
      ALLOWED_TOOLS.toReversed(),
      [...ALLOWED_TOOLS, 'unrelated'],
      ALLOWED_TOOLS,
    ]) {
      writePolicy(hub, { allowed_tools })
      for (const way of ['rest', 'mcp', 'cli'] as const)
        hashes.add((await project('flow_abc', {}, { way })).body.generator.content_hash)
    }
    expect(hashes.size).toBe(1)
    writePolicy(hub, { allowed_tools: ['beta'] })
    const fewer = await project('flow_abc')
    expect(bundleIn(fewer).allowed_tools).toEqual(['beta'])
    expect(hashes).not.toContain(fewer.body.generator.content_hash)
  })

  verifies(['GATE-119', 'GATE-120', 'GATE-121'], 'has steps of exactly their keys, in order', async () => {
    const { steps } = await projectBundle('flow_gate', { version: '1.3.0' })
    for (const step of steps) {
      expect(Object.keys(step)).toEqual(STEP_KEYS)
      expect(Object.keys(step.verification)).toEqual(['kind', 'evidence_required', 'description'])
    }
    expect(steps.map(({ ordinal }: Json) => ordinal)).toEqual([1, 2, 3])
    expect(steps[1].skill_refs).toEqual([{ kind: 'cli', id: 'shell' }, tool('beta')])
    const others = (await projectBundle('flow_cli_only')).steps[0].skill_refs
    expect(others.map(({ kind }: Json) => kind)).toEqual(['cli', 'skill_pack', 'mcp_prompt'])
  })

  verifies('GATE-122', 'carries text as data, letter for letter', async () => {
    const { steps, summary } = await projectBundle('flow_malicious')
    const { owned_job, instruction, trigger, when_not_to_run, boundaries, output_shape } = steps[0]
    const texts = [summary, owned_job, instruction, trigger, when_not_to_run, boundaries[0], output_shape]
    for (const text of texts) expect(text).toBe(MALICIOUS_TEXT)
  })

  verifies(['GATE-123', 'GATE-124'], 'says what it has no place for, inside as outside', async () => {
    const expected = {
      ...Object.fromEntries([...LOSSY].map(([field, { flow }]) => [flow.flow_id, [field]])),
      flow_plain: [],
      flow_gate: ['requires', 'inputs', 'outputs'],
      flow_lossy: ['requires', 'inputs', 'outputs', 'automatable'],
    }
    for (const [flow_id, dropped_fields] of Object.entries(expected)) {
      const answer = await project(flow_id)
      expect(answer.body.projection.fidelity).toEqual({ dropped_fields, notes: null })
      expect(bundleIn(answer).fidelity).toEqual(answer.body.projection.fidelity)
    }
    const cut = await project('flow_big')
    expect(bundleIn(cut).fidelity).toEqual(cut.body.projection.fidelity)
  })

  verifies('GATE-125', 'that is too large loses whole steps at its end, no more than it must', async () => {
    const { rendered, fidelity } = (await project('flow_big')).body.projection
    const bytes = Buffer.byteLength(rendered)
    expect(bytes).toBeLessThanOrEqual(65_536)
    const { steps } = AgentBundle.parse(JSON.parse(rendered))
    const all = (await ask(hub, 'flow_get', { flow_id: 'flow_big' })).body.steps
    expect(steps.length).toBeLessThan(all.length)
    expect(steps.map(({ step_id }) => step_id)).toEqual(
      all.slice(0, steps.length).map(({ step_id }: Json) => step_id),
    )
    for (const { instruction } of steps) expect(instruction).toBe(BIG_STEP.instruction)
    expect(bytes + Buffer.byteLength(JSON.stringify(steps[0]))).toBeGreaterThan(65_536)
    expect(fidelity.notes).toContain(`${steps.length} of ${all.length} steps`)
  })

  verifies('GATE-127', 'holds neither the bearer nor the credential that fetched it', async () => {
    const { presented, bearer, grant } = await mint(hub, {}, { as: 'gateway' })
    const { text, status } = await project('flow_gate', { version: '1.2.0' }, { as: 'gateway', presented })
    expect(status).toBe(200)
    for (const secret of [bearer, bearer.slice(13), hub.credentials.bearers.gateway, grant.grant_id])
      expect(text).not.toContain(secret)
  })

  verifies('GATE-128', 'of an older version is stale', async () => {
    const { staleness } = (await project('flow_gate', { version: '1.2.0' })).body
    expect(staleness).toEqual({ stale: true, projection_version: '1.2.0', latest_version: '1.3.0' })
    const latest = (await project('flow_gate')).body.staleness
    expect(latest).toEqual({ stale: false, projection_version: '1.3.0', latest_version: '1.3.0' })
  })

  verifies('GATE-129', 'is the same hosted as on this machine', async () => {
    for (const way of ['rest', 'mcp', 'cli'] as const)
      for (const flow_id of ['flow_gate', 'flow_plain', 'flow_big', 'flow_research_brief']) {
        const near = await project(flow_id, {}, { way, as: 'gateway' })
        const far = await project(flow_id, {}, { way, as: 'gateway', gateway: gateway.url })
        const { generated_at: _near, ...near_generator } = near.body.generator
        const { generated_at: _far, ...far_generator } = far.body.generator
        expect({ ...far.body, generator: far_generator }).toEqual({ ...near.body, generator: near_generator })
      }
  })

  verifies(
    'GATE-184',
    'exported and imported elsewhere, a flow keeps its references but no grant',
    async () => {
      const { presented } = await mint(hub, { requested_tools: ['alpha', 'beta'] })
      const exported = (await ask(hub, 'flow_export', { flow_id: 'flow_gate', version: '1.2.0' })).body
      const bundle = { flow: exported.flow, steps: exported.steps }
      expect(JSON.stringify(exported)).not.toContain('fgrnt_')
      const there = { vault: 'elsewhere', as: 'hub' as const }
      const allowed_tools = [...ALLOWED_TOOLS, 'pager_call']
      hub.write(hub.home.vaultPolicy('elsewhere'), policyWith({ allowed_tools }))
      const { proposal_id } = (await ask(hub, 'flow_import', { bundle, ...INTENT }, there)).body
      await ask(hub, 'proposal_approve', { proposal_id }, { ...there, as: 'owner' })
      const got = (await ask(hub, 'flow_get', { flow_id: 'flow_gate' }, there)).body
      expect(refs(got.steps)).toEqual(refs(exported.steps))
      expect(await listed(hub, {}, there)).toEqual([])
      const use = { ...USE, tool_id: 'alpha' }
      const refused = await ask(hub, 'flow_external_tool_invoke', use, { ...there, presented })
      expect(refused.code).toBe('FLOW_EXTERNAL_GRANT_DENIED')
    },
  )
})

describe('authoring, gate off', () => {
  useHub('off')

  verifies('GATE-162', 'no bundle is rendered', async () => {
    expect(await project('flow_gate')).toMatchObject({ status: 400, code: 'FLOW_HARNESS_UNSUPPORTED' })
  })

  describeEdits(() => hub)
})

// What the tables of this tier prove, rule by rule.
test('the tables of this tier cite these rules', () => {
  expect(citedRules('edit-cases.ts')).toEqual(['FLOW-055', 'FLOW-064', 'FLOW-067'])
})
