import { hash } from 'node:crypto'
import { existsSync } from 'node:fs'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { connectClient } from '../harness/call-mcp.ts'
import { storeFlows, type TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { type Received, send } from '../rest/rest-hub.fixture.ts'
import { HIGHER_SCOPE, MALICIOUS, MALICIOUS_TEXT, stepsOf, tool, UNLISTED } from './bundles.ts'
import {
  ALLOWED_TOOLS,
  ask,
  bundleIn,
  type Json,
  listed,
  MINT_INPUT,
  mint,
  startGateHub,
  USE,
} from './gate-hub.ts'

const DENIED = 'FLOW_EXTERNAL_GRANT_DENIED'
const ORG = { flow_id: 'flow_higher', flow_version: '1.2.0' }

/** One call of each kind that names these. */
const callsOn = (flow: string, grant_id: string, tool_id: string): [string, string, object?][] => [
  ['POST', `/api/v1/flows/${flow}/external-grants`, MINT_INPUT],
  ['GET', `/api/v1/flows/external-grants?flow_id=${flow}`],
  ['DELETE', `/api/v1/flows/external-grants/${grant_id}`],
  ['POST', `/api/v1/flows/external-tools/${tool_id}/invoke`, { ...USE, tool_id }],
  ['GET', `/api/v1/flows/${flow}/projection?harness=agent_bundle`],
]

/** That authority comes from the hub's own records and from nothing a caller sends. */
export function describeAuthority(): void {
  let hub: TestHub
  beforeAll(async () => {
    const config = { rate_limits: { failed_authentications_per_minute: 1_000_000 } }
    hub = await startGateHub('on', { config })
  })
  afterAll(() => hub.close())
  const raw = (method: string, path: string, body?: object, bearer = hub.credentials.bearers.editor) =>
    send(hub.url, { method, path, bearer, ...(body && { body: JSON.stringify(body) }) })

  verifies('GATE-001', 'a flow, a projection and a bundle confer none', async () => {
    const fetched = await ask(hub, 'flow_project', { flow_id: 'flow_gate', harness: 'agent_bundle' })
    expect(fetched.status).toBe(200)
    const exported = await ask(hub, 'flow_export', { flow_id: 'flow_gate' })
    expect(exported.status).toBe(200)
    for (const as of ['viewer', 'editor', 'admin', 'hub'] as const) {
      const told = await ask(hub, 'flow_external_tool_invoke', USE, { as })
      expect([told.status, told.code]).toEqual([403, DENIED])
    }
  })

  verifies('GATE-002', 'a grant that a caller brings along is not taken', async () => {
    const own = { grant_id: 'fgrnt_0123456789abcdef0123', bearer: `fgrnt_bearer_${'b'.repeat(64)}` }
    const record = {
      schema: 'knowtation.flow_external_grant/v0',
      allowed_tools: ['pager_call'],
      issued_at: '2026-01-01T00:00:00.000Z',
      expires_at: '2100-01-01T00:00:00.000Z',
      revoked_at: '2026-01-01T00:00:00.000Z',
      actor_hash: '0'.repeat(64),
      max_invocations: 0,
    }
    const extra = { ...own, ...record, grant: { ...own, ...record } }
    for (const way of ['rest', 'mcp'] as const) {
      const { grant, bearer } = await mint(hub, extra, { way })
      expect([grant.grant_id === own.grant_id, bearer === own.bearer]).toEqual([false, false])
      expect(grant).toMatchObject({ allowed_tools: ['web_search'], revoked_at: null, max_invocations: 100 })
      expect(Date.parse(grant.expires_at) - Date.parse(grant.issued_at)).toBe(3_600_000)
      expect([grant.issued_at, grant.actor_hash]).not.toContain(record.issued_at)
      expect(grant.actor_hash).not.toBe(record.actor_hash)
      const presented = { external_bearer: own.bearer }
      expect((await ask(hub, 'flow_external_tool_invoke', USE, { presented })).code).toBe(DENIED)
      expect((await ask(hub, 'flow_external_tool_invoke', { ...USE, ...own })).code).toBe(DENIED)
    }
  })

  verifies('GATE-003', 'a bundle cannot be written back', async () => {
    for (const method of ['PUT', 'POST', 'PATCH', 'DELETE']) {
      const { status } = await raw(method, '/api/v1/flows/flow_gate/projection', { rendered: 'mine' })
      expect([404, 405]).toContain(status)
    }
    const client = await connectClient(`${hub.url}/mcp`, hub.credentials.bearers.admin)
    const { tools } = await client.listTools()
    await client.close()
    const projecting = tools.filter(({ name }) => /project|bundle/.test(name))
    expect(projecting.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['flow_project', true],
    ])
  })

  verifies('GATE-004', 'the hub’s own token opens nothing under a hosted name', async () => {
    hub.options.env.FLOW_HOSTED_PROJECTION_ENABLED = '1'
    const path = '/api/v1/flows/flow_gate/projection?harness=agent_bundle'
    const headers = { host: 'api.knowtation.store' }
    const { hub: own, admin, gateway } = hub.credentials.bearers
    for (const bearer of [own, admin]) {
      const told = await send(hub.url, { path, headers, bearer })
      expect([told.status, told.text.includes('projection')]).toEqual([401, false])
    }
    expect((await send(hub.url, { path, headers, bearer: gateway })).status).toBe(200)
    delete hub.options.env.FLOW_HOSTED_PROJECTION_ENABLED
  })

  verifies('GATE-016', 'who brings no credential learns nothing', async () => {
    const { grant } = await mint(hub)
    const answers: Received[] = []
    const all = [
      ...callsOn('flow_gate', grant.grant_id, 'web_search'),
      ...callsOn('flow_nope', 'fgrnt_nope_nope', 'nope'),
    ]
    for (const bearer of [undefined, 'garbage', `ktok_${'0'.repeat(16)}_${'0'.repeat(64)}`])
      for (const [method, path, body] of all)
        answers.push(
          await send(hub.url, { method, path, bearer, ...(body && { body: JSON.stringify(body) }) }),
        )
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1)
    expect(answers[0]?.status).toBe(401)
    expect((await listed(hub)).find((one) => one.grant_id === grant.grant_id)?.revoked_at).toBeNull()
  })

  verifies(['GATE-028', 'GATE-029', 'GATE-050'], 'scope and vault are those of the call', async () => {
    const claims = { scope: 'org', vault_id: 'other' }
    const { grant } = await mint(hub, claims, { vault: 'default' })
    expect([grant.scope, grant.vault_id]).toEqual(['personal', 'default'])
    expect((await mint(hub, claims)).grant.vault_id).toBe('default')
    const policy = { external_agent: { allowed_tools: ALLOWED_TOOLS } }
    hub.write(hub.home.vaultPolicy('team1'), policy)
    await storeFlows(hub.hub, 'team1', [
      stepsOf('flow_gate', { version: '1.2.0' }, [{ skill_refs: [tool('web_search')] }]),
    ])
    const team = await mint(hub, {}, { as: 'hub', vault: 'team1' })
    expect(team.grant.actor_hash).toBe(hash('sha256', '|team1|hub'))
    const ids = async (vault?: string) =>
      (await listed(hub, {}, { as: 'hub', ...(vault && { vault }) })).map(({ grant_id }) => grant_id)
    expect(await ids('team1')).toEqual([team.grant.grant_id])
    for (const vault of ['default', undefined]) expect(await ids(vault)).not.toContain(team.grant.grant_id)
    const local = await ask(hub, 'flow_external_grant_list', {}, { way: 'home', as: 'hub', vault: 'team1' })
    expect(local.body.grants.map((one: Json) => one.grant_id)).toEqual([team.grant.grant_id])
  })

  verifies('GATE-189', 'what lies beyond a caller’s scope is out of its reach', async () => {
    expect(HIGHER_SCOPE.flow.scope).toBe('org')
    const { presented, grant } = await mint(hub, ORG, { as: 'admin' })
    for (const as of ['viewer', 'evaluator', 'editor'] as const) {
      const said = async (name: string, input: object, held = {}) => {
        const { status, code } = await ask(hub, name, input, { as, ...held })
        return `${status} ${code}`
      }
      const unknown = '404 unknown_flow'
      expect(await said('flow_external_grant_mint', { ...MINT_INPUT, ...ORG })).toBe(unknown)
      const fetch = { flow_id: 'flow_higher', harness: 'agent_bundle' }
      expect(await said('flow_project', fetch)).toBe(unknown)
      expect(await said('flow_project', fetch, { presented })).toBe(unknown)
      expect(await said('flow_external_tool_invoke', { ...USE, ...ORG }, { presented })).toBe(unknown)
      expect(await said('flow_external_grant_revoke', { grant_id: grant.grant_id })).toBe('404 unknown_grant')
      expect(await listed(hub, { flow_id: 'flow_higher' }, { as })).toEqual([])
    }
    expect(
      (await ask(hub, 'flow_external_tool_invoke', { ...USE, ...ORG }, { as: 'admin', presented })).status,
    ).toBe(200)
  })

  verifies('GATE-190', 'what is missing and what is invisible look the same, to the byte', async () => {
    const { grant } = await mint(hub, ORG, { as: 'admin' })
    const pairs: [string, object, object][] = [
      ['flow_external_grant_mint', { ...MINT_INPUT, ...ORG }, { ...MINT_INPUT, flow_id: 'flow_nope' }],
      [
        'flow_project',
        { flow_id: 'flow_higher', harness: 'agent_bundle' },
        { flow_id: 'flow_nope', harness: 'agent_bundle' },
      ],
      ['flow_get', { flow_id: 'flow_higher' }, { flow_id: 'flow_nope' }],
      ['flow_external_grant_revoke', { grant_id: grant.grant_id }, { grant_id: 'fgrnt_0123456789abcdef' }],
      ['flow_external_grant_list', { flow_id: 'flow_higher' }, { flow_id: 'flow_nope' }],
    ]
    for (const [name, invisible, missing] of pairs)
      for (const way of ['rest', 'mcp', 'cli'] as const) {
        const [a, b] = [await ask(hub, name, invisible, { way }), await ask(hub, name, missing, { way })]
        expect([name, way, a.status, a.text]).toEqual([name, way, b.status, b.text])
      }
  })

  verifies('GATE-191', 'text in a flow stays text', async () => {
    expect(existsSync('/tmp/pwned')).toBe(false)
    const fetched = await ask(hub, 'flow_project', { flow_id: 'flow_malicious', harness: 'agent_bundle' })
    const bundle = bundleIn(fetched)
    expect([bundle.allowed_tools, bundle.grant_required]).toEqual([[], true])
    const { flow_id, version: flow_version } = MALICIOUS.flow
    for (const step of bundle.steps)
      expect([step.instruction, step.trigger]).toEqual([MALICIOUS_TEXT, MALICIOUS_TEXT])
    const told = await ask(hub, 'flow_external_grant_mint', { ...MINT_INPUT, flow_id, flow_version })
    expect(told.code).toBe('FLOW_EXTERNAL_TOOL_UNKNOWN')
    expect(existsSync('/tmp/pwned')).toBe(false)
  })

  verifies('GATE-192', 'no input makes a grant wider than allowlist and flow together', async () => {
    const possible = ['web_search', 'slack_notify', 'alpha', 'beta']
    const names = [
      ...possible,
      'pager_call',
      'late_tool',
      'shell',
      '*',
      '',
      'WEB_SEARCH',
      '__proto__',
      'constructor',
    ]
    const noise = fc.dictionary(
      fc.constantFrom(
        'allowed_tools',
        'scope',
        'grant',
        'bearer',
        'max_invocations',
        'allowed_harnesses',
        'vault_id',
      ),
      fc.constantFrom<unknown>('org', ['pager_call'], 0, { allowed_tools: ['pager_call'] }, null),
    )
    const asked = fc.array(fc.constantFrom(...names), { maxLength: 5 })
    await fc.assert(
      fc.asyncProperty(asked, noise, async (requested_tools, extra) => {
        const input = { ...extra, ...MINT_INPUT, requested_tools }
        const { status, body } = await ask(hub, 'flow_external_grant_mint', input, { way: 'direct' })
        const fits = requested_tools.length > 0 && requested_tools.every((one) => possible.includes(one))
        expect(status === 201).toBe(fits)
        if (status !== 201) return
        expect(body.grant.allowed_tools).toEqual([...new Set(requested_tools)].toSorted())
        expect([body.grant.scope, body.grant.max_invocations]).toEqual(['personal', 100])
      }),
      // One good tool beside one that is only declared, only listed, or neither: chance may miss these.
      {
        numRuns: 150,
        examples: ['pager_call', 'late_tool', 'shell'].map((bad) => [['web_search', bad], {}]),
      },
    )
  })

  describe('an import', () => {
    verifies('GATE-196', 'may name only tools that the vault lists', async () => {
      const attempt = (id: string, steps: Parameters<typeof stepsOf>[2]) =>
        ask(hub, 'flow_import', { bundle: stepsOf(id, {}, steps), intent: 'Others use it.' })
      const refs = UNLISTED.steps.map(({ skill_refs }) => ({ skill_refs }))
      for (const gate of ['1', '0']) {
        hub.options.env.FLOW_EXTERNAL_AGENT_ENABLED = gate
        const told = await attempt('flow_sandboxed', refs)
        expect([told.status, told.code]).toEqual([403, 'FLOW_IMPORT_EXTERNAL_TOOL_DENIED'])
      }
      hub.options.env.FLOW_EXTERNAL_AGENT_ENABLED = '1'
      expect((await attempt('flow_sandboxed', refs.slice(0, 1))).status).toBe(201)
      const proposals = (await ask(hub, 'proposal_list', { limit: 200 })).body.proposals
      expect(proposals.map((one: Json) => one.flow_id)).toEqual(['flow_sandboxed'])
    })
  })
}
