import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { FLOW_PROJECTION_WRITE_BACK_AUTHORIZED, isWriteBackAuthorized } from '../../src/client/index.ts'
import { startTestHub, storeFlows, type TestHub } from '../harness/test-hub.ts'
import { bundleOf } from '../parity/sample-flows.ts'
import { verifies } from '../requirements/verifies.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { tool } from './bundles.ts'
import { ask, MINT_INPUT, mint, policyWith, startGateHub, turnGate, USE, writePolicy } from './gate-hub.ts'

const DENIED = 'FLOW_EXTERNAL_GRANT_DENIED'
const DISABLED = 'FLOW_EXTERNAL_AGENT_DISABLED'
const FORBIDDEN = 'FLOW_EXTERNAL_AGENT_POLICY_FORBIDDEN'
const FETCH = { flow_id: 'flow_gate', version: '1.2.0', harness: 'agent_bundle' }

/** The contract's own example. */
const CONTRACT_POLICY = `external_agent:
  enabled: true
  allowed_tools:
    - id: web_search
      description: Scoped web retrieval
    - id: slack_notify
      description: Post to allowed channels
  default_ttl_seconds: 1800
  max_ttl_seconds: 7200
  import_policy: reject_unknown
`

/** Settings that are well-formed and still mean nothing, each with what else the policy needs to be in order. */
const UNUSABLE: readonly object[] = [
  { default_ttl_seconds: 0 },
  { default_ttl_seconds: 1.5 },
  { max_ttl_seconds: 0 },
  { max_ttl_seconds: -1 },
  { max_invocations: -1 },
  { max_invocations: 1_000_000_001 },
  { max_live_grants: -1 },
  { allowed_tools: ['web_search', ''] },
  { allowed_tools: ['web_search', 'a\nb'] },
  { allowed_tools: ['web_search', 'x'.repeat(257)] },
  { allowed_tools: ['web_search', { id: 'alpha', description: 'x'.repeat(10_001) }] },
  { allowed_tools: ['web_search', { id: 'alpha', input_schema: { type: 'nothing' } }] },
  { allowed_tools: ['web_search', { id: 'alpha', redaction_exceptions: ['No such form'] }] },
  { allowed_tools: ['web_search', ...Array.from({ length: 1_000 }, (_, at) => `tool_${at}`)] },
]

/** What the owner's files decide, and what they decide when they are missing or damaged. */
export function describePolicy(): void {
  let hub: TestHub
  const clock: { now?: Date | undefined } = {}
  beforeAll(async () => void (hub = await startGateHub('on', { clock })))
  afterAll(() => hub.close())
  const said = async (name: string, input: object, how: Parameters<typeof ask>[3] = {}) =>
    (await ask(hub, name, input, how)).code
  const writeText = (text: string) => hub.write(hub.home.vaultPolicy('default'), text)

  verifies('GATE-084', 'the contract’s policy loads without loss', async () => {
    turnGate(hub, undefined)
    writeText(CONTRACT_POLICY)
    const { grant } = await mint(hub, { requested_tools: ['web_search', 'slack_notify'] })
    expect(grant.allowed_tools).toEqual(['slack_notify', 'web_search'])
    const life = Date.parse(grant.expires_at) - Date.parse(grant.issued_at)
    expect(life).toBe(1_800_000)
    const long = (await mint(hub, { ttl_seconds: 86_400 })).grant
    expect(Date.parse(long.expires_at) - Date.parse(long.issued_at)).toBe(7_200_000)
    expect(await said('flow_external_grant_mint', { ...MINT_INPUT, requested_tools: ['alpha'] })).toBe(
      'FLOW_EXTERNAL_TOOL_DENIED',
    )
    writePolicy(hub)
    turnGate(hub, '1')
  })

  verifies('GATE-085', 'a missing or damaged one is a closed gate and an empty list', async () => {
    const held = await mint(hub)
    turnGate(hub, undefined)
    for (const text of [
      '',
      'external_agent: {}\n',
      'external_agent: {enabled: "true"}\n',
      'external_agent: {enabled: true, alowed_tools: []}\n',
      `${CONTRACT_POLICY}- broken\n`,
      '{',
      '\0',
      '[]',
      'external_agent: {enabled: true, allowed_tools: [{id: a}, {id: a}]}\n',
      ...UNUSABLE.map((external_agent) => JSON.stringify(policyWith({ enabled: true, ...external_agent }))),
    ]) {
      writeText(text)
      expect([text, await said('flow_external_grant_mint', MINT_INPUT)]).toEqual([text, DISABLED])
      expect([text, await said('flow_external_tool_invoke', USE, held)]).toEqual([text, DISABLED])
    }
    // Even where the environment opens the gate, nothing is listed.
    turnGate(hub, '1')
    expect(await said('flow_external_grant_mint', MINT_INPUT)).toBe('FLOW_EXTERNAL_TOOL_DENIED')
    expect(await said('flow_external_tool_invoke', USE, held)).toBe('FLOW_EXTERNAL_TOOL_DENIED')
    writePolicy(hub)
    expect(await said('flow_external_tool_invoke', USE, held)).toBeUndefined()
  })

  verifies('GATE-145', 'may forbid it all, before any gate', async () => {
    const held = await mint(hub)
    writePolicy(hub, { forbidden: true })
    for (const gate of ['1', '0']) {
      turnGate(hub, gate)
      for (const way of ['rest', 'mcp', 'cli'] as const) {
        expect(await said('flow_external_grant_mint', MINT_INPUT, { way })).toBe(FORBIDDEN)
        expect(await said('flow_external_grant_list', {}, { way })).toBe(FORBIDDEN)
        expect(await said('flow_external_tool_invoke', USE, { ...held, way })).toBe(FORBIDDEN)
        const fetched = await said('flow_project', FETCH, { way })
        expect(fetched).toBe(gate === '1' ? FORBIDDEN : 'FLOW_HARNESS_UNSUPPORTED')
      }
    }
    turnGate(hub, '1')
    writePolicy(hub)
    // The environment can forbid it as well, and has the last word.
    for (const [value, forbidden, code] of [
      ['1', {}, FORBIDDEN],
      ['true', { forbidden: false }, FORBIDDEN],
      ['0', { forbidden: true }, undefined],
      ['yes', { forbidden: true }, FORBIDDEN],
    ] as const) {
      hub.options.env.FLOW_EXTERNAL_AGENT_FORBIDDEN = value
      writePolicy(hub, forbidden)
      expect([value, await said('flow_external_tool_invoke', USE, held)]).toEqual([value, code])
      expect([value, await said('flow_project', FETCH)]).toEqual([value, code])
    }
    delete hub.options.env.FLOW_EXTERNAL_AGENT_FORBIDDEN
    writePolicy(hub)
  })

  verifies('GATE-143', 'nothing turns write-back on', async () => {
    expect(FLOW_PROJECTION_WRITE_BACK_AUTHORIZED).toBe(false)
    const name = 'FLOW_PROJECTION_WRITE_BACK_AUTHORIZED'
    for (const value of ['1', 'true']) expect(isWriteBackAuthorized({ [name]: value })).toBe(false)
    const source = readFileSync(new URL('../../src/client/write-back-lock.ts', import.meta.url), 'utf8')
    expect(source).toContain(`export const ${name} = false as const`)
    hub.options.env[name] = '1'
    for (const method of ['PUT', 'POST', 'PATCH']) {
      const path = '/api/v1/flows/flow_gate/projection'
      const { status } = await send(hub.url, {
        method,
        path,
        bearer: hub.credentials.bearers.admin,
        body: '{}',
      })
      expect([404, 405]).toContain(status)
    }
    const { body } = await ask(hub, 'flow_project', FETCH)
    expect([body.projection.editable, body.projection.generated_from_canonical]).toEqual([false, true])
    delete hub.options.env[name]
  })

  verifies('GATE-144', 'the agents’ gate opens no execution', async () => {
    const run = { flow_id: 'flow_gate', run_id: 'run_0123456789abcdef01234567', step_id: 'flow_gate#1' }
    const { presented } = await mint(hub)
    for (const held of [{}, { presented }])
      for (const way of ['rest', 'cli'] as const)
        expect(await said('flow_run_execute', run, { ...held, way })).toBe(
          'FLOW_AUTOMATABLE_EXECUTION_DISABLED',
        )
    expect(await said('flow_run_execute', run, { way: 'mcp' })).toBe('FLOW_AUTOMATABLE_EXECUTION_DISABLED')
  })

  describe('a fresh installation', () => {
    verifies(['GATE-142', 'GATE-162'], 'has both gates off everywhere', async () => {
      await using fresh = await startTestHub()
      await storeFlows(fresh.hub, 'default', [bundleOf('flow_gate', { version: '1.2.0' })])
      for (const way of ['rest', 'mcp', 'cli', 'home'] as const) {
        const how = { way, as: 'hub' } as const
        expect((await ask(fresh, 'flow_external_grant_mint', MINT_INPUT, how)).code).toBe(DISABLED)
        expect((await ask(fresh, 'flow_project', FETCH, how)).code).toBe('FLOW_HARNESS_UNSUPPORTED')
      }
      fresh.options.env.FLOW_EXTERNAL_AGENT_ENABLED = '1'
      const hosted = await send(fresh.url, {
        path: '/api/v1/flows/flow_gate/projection?harness=agent_bundle',
        bearer: fresh.credentials.bearers.gateway,
        headers: { host: 'api.knowtation.store' },
      })
      expect(JSON.parse(hosted.text).code).toBe('FLOW_HOSTED_PROJECTION_DISABLED')
    })
  })

  verifies('GATE-160', 'no refusal repeats an id, a text or a name', async () => {
    const text = 'sentinel-text'
    const [vault, id] = ['sentinel-vault', 'flow_sentinel_id']
    const step = { instruction: text, skill_refs: [tool('sentinel_tool'), tool('web_search')] }
    const higher = bundleOf('flow_sentinel_org', { scope: 'org' }, 1, step)
    hub.write(hub.home.vaultPolicy(vault), { external_agent: { allowed_tools: ['web_search'] } })
    await storeFlows(hub.hub, vault, [bundleOf(id, { title: text, summary: text }, 1, step), higher])
    const at = { as: 'hub', vault } as const
    const pin = { flow_id: id, flow_version: '1.0.0' }
    const { presented, grant } = await mint(hub, pin, at)
    const wrong = { external_bearer: `fgrnt_bearer_sentinel${'0'.repeat(40)}` }
    const payload = { sentinel: 'sentinel-payload' }
    const use = { ...pin, payload }
    const calls: [string, string, object, object?][] = [
      [
        'FLOW_EXTERNAL_TOOL_UNKNOWN',
        'flow_external_grant_mint',
        { ...pin, requested_tools: ['sentinel_other'] },
      ],
      [
        'FLOW_EXTERNAL_TOOL_DENIED',
        'flow_external_grant_mint',
        { ...pin, requested_tools: ['sentinel_tool'] },
      ],
      [
        'unknown_flow',
        'flow_external_grant_mint',
        { ...pin, flow_version: '7.7.7', requested_tools: ['sentinel_tool'] },
      ],
      [
        'BAD_REQUEST',
        'flow_external_grant_mint',
        { ...pin, requested_tools: 'sentinel', sentinel: 'sentinel' },
      ],
      [DENIED, 'flow_external_tool_invoke', { ...use, tool_id: 'web_search' }],
      [DENIED, 'flow_external_tool_invoke', { ...use, tool_id: 'web_search' }, { presented: wrong }],
      [
        'FLOW_EXTERNAL_GRANT_TOOL_DENIED',
        'flow_external_tool_invoke',
        { ...use, tool_id: 'sentinel_tool' },
        { presented },
      ],
      [
        'FLOW_EXTERNAL_GRANT_FLOW_MISMATCH',
        'flow_external_tool_invoke',
        { ...use, flow_id: 'flow_sentinel_org', tool_id: 'web_search' },
        { presented },
      ],
      ['FLOW_HARNESS_UNSUPPORTED', 'flow_project', { flow_id: id, harness: 'cursor_skill' }],
      ['unknown_grant', 'flow_external_grant_revoke', { grant_id: 'fgrnt_sentinel_sentinel' }],
    ]
    const answers: string[] = []
    const provoke = async (code: string, name: string, input: object, how: object = {}) => {
      const told = await ask(hub, name, input, { ...at, ...how })
      expect([name, told.code]).toEqual([name, code])
      answers.push(told.text)
    }
    for (const one of calls) await provoke(...one)
    await ask(hub, 'flow_external_grant_revoke', { grant_id: grant.grant_id }, at)
    await provoke(
      'FLOW_EXTERNAL_GRANT_REVOKED',
      'flow_external_tool_invoke',
      { ...use, tool_id: 'web_search' },
      { presented },
    )
    const bundle = bundleOf('flow_sentinel_import', { title: text }, 1, step)
    await provoke(
      'FLOW_IMPORT_EXTERNAL_TOOL_DENIED',
      'flow_import',
      { bundle, intent: text },
      { vault: 'default' },
    )
    const org = { ...bundle, flow: { ...bundle.flow, scope: 'org' } }
    await provoke(
      'FLOW_IMPORT_SCOPE_DENIED',
      'flow_import',
      { bundle: org, intent: text },
      { vault: 'default', as: 'editor' },
    )
    const late = await mint(hub, pin, at)
    clock.now = new Date(Date.now() + 3_601_000)
    await provoke(
      'FLOW_EXTERNAL_GRANT_EXPIRED',
      'flow_external_tool_invoke',
      { ...use, tool_id: 'web_search' },
      late,
    )
    clock.now = undefined
    const hosted = {
      path: `/api/v1/flows/${id}/projection?harness=agent_bundle`,
      headers: { host: 'sentinel.example' },
    }
    answers.push((await send(hub.url, { ...hosted, bearer: hub.credentials.bearers.gateway })).text)
    turnGate(hub, '0')
    await provoke(DISABLED, 'flow_external_tool_invoke', { ...use, tool_id: 'web_search' }, { presented })
    turnGate(hub, '1')
    hub.write(hub.home.vaultPolicy(vault), { external_agent: { forbidden: true } })
    await provoke(FORBIDDEN, 'flow_external_grant_list', { flow_id: id })
    for (const answer of answers) expect(answer).not.toMatch(/sentinel|fgrnt_|personal|org\b|7\.7\.7/i)
  })
}
