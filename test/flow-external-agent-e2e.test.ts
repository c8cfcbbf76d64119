import { channel } from 'node:diagnostics_channel'
import { afterAll, beforeAll, describe, expect } from 'vitest'
import { flowStateId } from '../src/domains/flows/bundle/state-id.ts'
import { sql } from '../src/platform/storage/database.ts'
import { DROPPED, GATE_FLOW, stepsOf, tool, UNLISTED } from './external-agent/bundles.ts'
import {
  ALLOWED_TOOLS,
  ask,
  bundleIn,
  listed,
  MINT_INPUT,
  mint,
  startGateHub,
  turnGate,
  USE,
  writePolicy,
} from './external-agent/gate-hub.ts'
import { post } from './external-agent/grant-crowd.ts'
import { type Endpoint, startEndpoint } from './external-agent/tool-servers.ts'
import { describeTours } from './external-agent/tour.ts'
import type { TestHub } from './harness/test-hub.ts'
import { verifies } from './requirements/verifies.ts'
import { codeOf, send } from './rest/rest-hub.fixture.ts'

describeTours()

const INVOKE = '/api/v1/flows/external-tools/web_search/invoke'
const DENIED = 'FLOW_EXTERNAL_GRANT_DENIED'
const clock: { now?: Date | undefined } = {}
let hub: TestHub
let endpoint: Endpoint
beforeAll(async () => {
  endpoint = await startEndpoint()
  hub = await startGateHub('on', { clock })
})
afterAll(async () => {
  await hub.close()
  await endpoint.close()
})

const invoke = (input: object, how: Parameters<typeof ask>[3] = {}) =>
  ask(hub, 'flow_external_tool_invoke', { ...USE, ...input }, how)
const countOf = async (grant_id: string) =>
  (await listed(hub, {}, { as: 'admin' })).find((grant) => grant.grant_id === grant_id)?.invocation_count

const bound = () => [
  { id: 'web_search', provider: { kind: 'http', method: 'POST', url: endpoint.url } },
  ...ALLOWED_TOOLS.slice(1),
]

async function approve(proposed: { body: { proposal_id: string } }): Promise<void> {
  const { proposal_id } = proposed.body
  expect((await ask(hub, 'proposal_approve', { proposal_id }, { as: 'admin' })).status).toBe(200)
}

describe('authority comes from a grant alone', () => {
  verifies(['GATE-096', 'GATE-106', 'GATE-107'], 'not from import, approval or reading', async () => {
    writePolicy(hub, { allowed_tools: bound() })
    const bundle = stepsOf('flow_imported', {}, [{ skill_refs: [tool('web_search')] }])
    await approve(await ask(hub, 'flow_import', { bundle, intent: 'Others use it.' }))
    const proposed = stepsOf('flow_proposed', {}, [{ skill_refs: [tool('web_search')] }])
    await approve(await ask(hub, 'flow_propose', { bundle: proposed, intent: 'It helps.' }))
    const pin = { flow_id: 'flow_imported', flow_version: '1.0.0' }
    const fetch = { flow_id: 'flow_imported', harness: 'agent_bundle' }
    for (let times = 0; times < 2; times++) expect((await ask(hub, 'flow_project', fetch)).status).toBe(200)
    const without = await invoke(pin)
    expect([without.status, without.code]).toEqual([403, DENIED])
    expect(endpoint.got).toEqual([])
    const { presented, grant } = await mint(hub, pin)
    expect(await countOf(grant.grant_id)).toBe(0)
    expect((await invoke({ ...pin, payload: { q: 1 } }, { presented })).status).toBe(200)
    expect(endpoint.got.map(({ body }) => body)).toEqual(['{"q":1}'])
    writePolicy(hub)
  })

  verifies('GATE-108', 'not from a run, whose progress calls nothing', async () => {
    writePolicy(hub, { allowed_tools: bound() })
    const before = endpoint.got.length
    const started = await ask(hub, 'flow_run_start', { flow_id: 'flow_gate', version: '1.2.0' })
    const { run_id } = started.body.run
    const step = { flow_id: 'flow_gate', run_id, step_id: 'flow_gate#1' }
    const moves = [{ to_status: 'in_progress' }, { to_status: 'skipped', skip_reason: 'not_applicable' }]
    for (const move of moves) {
      expect((await ask(hub, 'flow_run_advance', { ...step, ...move })).status).toBe(200)
    }
    expect(endpoint.got.length).toBe(before)
    writePolicy(hub)
  })

  verifies(['FLOW-071', 'FLOW-074'], 'and nothing else stands in for it, nor it for a consent', async () => {
    const { presented } = await mint(hub)
    hub.options.env.FLOW_AUTOMATABLE_EXECUTION_ENABLED = '1'
    const run = { flow_id: 'flow_gate', run_id: 'run_0123456789abcdef01234567', step_id: 'flow_gate#1' }
    const executed = await ask(hub, 'flow_run_execute', run, { presented })
    delete hub.options.env.FLOW_AUTOMATABLE_EXECUTION_ENABLED
    expect([executed.status, executed.code]).toEqual([403, 'FLOW_EXECUTION_CONSENT_REQUIRED'])
    const consent_id = 'fcons_0123456789abcdef'
    expect((await invoke({ consent_id })).code).toBe(DENIED)
    const others = [
      consent_id,
      `dgrnt_bearer_${'a'.repeat(64)}`,
      `dgrnt_${presented.external_bearer.slice(6)}`,
    ]
    for (const external_bearer of others)
      expect((await invoke({}, { presented: { external_bearer } })).code).toBe(DENIED)
  })
})

describe('the conditions of an invoke', () => {
  verifies('GATE-100', 'the version is still approved', async () => {
    const bundle = stepsOf('flow_withdrawn', {}, [{ skill_refs: [tool('web_search')] }])
    await approve(await ask(hub, 'flow_propose', { bundle, intent: 'It helps.' }))
    const pin = { flow_id: 'flow_withdrawn', flow_version: '1.0.0' }
    const { presented, grant } = await mint(hub, pin)
    expect((await invoke(pin, { presented })).status).toBe(200)
    const gone = sql('DELETE FROM flow_versions WHERE flow_id = ?')
    await hub.hub.db.transaction((tx) => tx.run(gone, 'flow_withdrawn'))
    const refused = await invoke(pin, { presented })
    expect([refused.status, refused.code]).toEqual([403, DENIED])
    expect(await countOf(grant.grant_id)).toBe(1)
  })

  verifies('GATE-101', 'flow and version are named, and are those of the grant', async () => {
    const { presented, grant } = await mint(hub)
    const { tool_id } = USE
    for (const named of [
      {},
      { flow_id: 'flow_gate' },
      { flow_version: '1.2.0' },
      { flow_id: 'flow_plain', flow_version: '1.2.0' },
      { flow_id: 'flow_gate', flow_version: '1.3.0' },
    ]) {
      const refused = await ask(hub, 'flow_external_tool_invoke', { tool_id, ...named }, { presented })
      expect([refused.status, refused.code]).toEqual([403, 'FLOW_EXTERNAL_GRANT_FLOW_MISMATCH'])
    }
    expect(await countOf(grant.grant_id)).toBe(0)
  })

  verifies(['GATE-102', 'GATE-103', 'GATE-104'], 'tool, allowlist and sight', async () => {
    const { presented } = await mint(hub, { requested_tools: ['alpha', 'web_search'] })
    const other = await invoke({ tool_id: 'slack_notify' }, { presented })
    expect([other.status, other.code]).toEqual([403, 'FLOW_EXTERNAL_GRANT_TOOL_DENIED'])
    writePolicy(hub, { allowed_tools: ALLOWED_TOOLS.slice(1) })
    const unlisted = await invoke({}, { presented })
    expect([unlisted.status, unlisted.code]).toEqual([403, 'FLOW_EXTERNAL_TOOL_DENIED'])
    expect((await invoke({ tool_id: 'alpha' }, { presented })).status).toBe(200)
    writePolicy(hub)
    expect((await invoke({}, { presented })).status).toBe(200)
    const org = { flow_id: 'flow_higher', flow_version: '1.2.0' }
    const higher = await mint(hub, org, { as: 'admin' })
    for (const as of ['viewer', 'editor'] as const) {
      const unseen = await invoke(org, { as, presented: higher.presented })
      expect([unseen.status, unseen.code]).toEqual([404, 'unknown_flow'])
    }
    expect((await invoke(org, { as: 'admin', presented: higher.presented })).status).toBe(200)
  })

  verifies('GATE-105', 'are told in the order of the contract', async () => {
    const start = new Date()
    const wrong = { flow_id: 'flow_plain', flow_version: '9.9.9', tool_id: 'pager_call' }
    const [{ presented, grant }, other] = [await mint(hub), await mint(hub, { ttl_seconds: 60 })]
    const said = async (input: object, with_bearer = presented) =>
      (await invoke(input, { presented: with_bearer })).code
    await ask(hub, 'flow_external_grant_revoke', { grant_id: grant.grant_id })
    clock.now = new Date(start.getTime() + 120_000)
    turnGate(hub, '0')
    expect(await said(wrong)).toBe('FLOW_EXTERNAL_AGENT_DISABLED')
    turnGate(hub, '1')
    expect(await said(wrong, { external_bearer: 'fgrnt_bearer_wrong' })).toBe(DENIED)
    expect(await said(wrong)).toBe('FLOW_EXTERNAL_GRANT_REVOKED')
    expect(await said(wrong, other.presented)).toBe('FLOW_EXTERNAL_GRANT_EXPIRED')
    clock.now = undefined
    expect(await said(wrong, other.presented)).toBe('FLOW_EXTERNAL_GRANT_EXPIRED')
    const live = await mint(hub, { ttl_seconds: 60 })
    expect(await said(wrong, live.presented)).toBe('FLOW_EXTERNAL_GRANT_FLOW_MISMATCH')
    const later = { flow_version: '9.9.9', tool_id: 'pager_call' }
    expect(await said(later, live.presented)).toBe('FLOW_EXTERNAL_GRANT_FLOW_MISMATCH')
    expect(await said({ tool_id: 'pager_call' }, live.presented)).toBe('FLOW_EXTERNAL_GRANT_TOOL_DENIED')
    writePolicy(hub, { allowed_tools: [] })
    expect(await said({}, live.presented)).toBe('FLOW_EXTERNAL_TOOL_DENIED')
    writePolicy(hub)
    expect(await said({}, live.presented)).toBeUndefined()
  })
})

describe('an invoke', () => {
  verifies('GATE-109', 'answers with exactly the keys of the contract', async () => {
    const { presented, grant } = await mint(hub)
    const hall = { url: hub.url, token: hub.credentials.bearers.viewer }
    const answer = await post(hall, INVOKE, USE, presented.external_bearer)
    const schema = 'knowtation.flow_external_tool_invoke/v0'
    const accepted = { schema, tool_id: 'web_search', accepted: true, grant_id: grant.grant_id }
    expect(answer).toEqual({ status: 200, body: accepted })
    writePolicy(hub, { allowed_tools: bound() })
    const { body } = await invoke({}, { presented })
    expect(Object.keys(body)).toEqual([...Object.keys(accepted), 'result'])
    writePolicy(hub)
  })

  verifies('GATE-110', 'takes only a payload that fits the tool, and counts no other', async () => {
    const input_schema = { type: 'object', required: ['q'], properties: { q: { type: 'string' } } }
    writePolicy(hub, { allowed_tools: [{ id: 'web_search', input_schema }] })
    const { presented, grant } = await mint(hub)
    for (const payload of [{}, { q: 1 }, undefined]) {
      const refused = await invoke(payload ? { payload } : {}, { presented })
      expect([refused.status, refused.code]).toEqual([400, 'BAD_REQUEST'])
    }
    const sent = { method: 'POST', path: INVOKE, bearer: hub.credentials.bearers.editor }
    for (const body of ['"x"', '[]', 'null', '7', '{"payload":"x"}', '{"payload":[]}', 'x', DROPPED]) {
      const headers = { 'x-flow-external-bearer': presented.external_bearer }
      const { status, text } = await send(hub.url, { ...sent, headers, body })
      expect([body, status, codeOf({ text })]).toEqual([body, 400, 'BAD_REQUEST'])
    }
    expect(await countOf(grant.grant_id)).toBe(0)
    expect((await invoke({ payload: { q: 'x' } }, { presented })).status).toBe(200)
    expect(await countOf(grant.grant_id)).toBe(1)
    writePolicy(hub)
  })

  verifies('GATE-111', 'of a tool without a provider is counted and opens no connection', async () => {
    const { presented, grant } = await mint(hub)
    let opened = 0
    const note = () => void opened++
    const channels = ['net.client.socket', 'undici:client:connected', 'child_process'].map(channel)
    for (const one of channels) one.subscribe(note)
    const { body } = await invoke({ payload: { any: ['thing'] } }, { presented, way: 'direct' })
    expect(body.accepted).toBe(true)
    expect(opened).toBe(0)
    // The watch itself works: a call over HTTP is seen.
    expect((await invoke({}, { presented })).status).toBe(200)
    await fetch(endpoint.url, { headers: { connection: 'close' } })
    expect(opened).toBeGreaterThan(0)
    for (const one of channels) one.unsubscribe(note)
    expect(await countOf(grant.grant_id)).toBe(2)
  })
})

const bumped = (version: string) =>
  stepsOf('flow_bumped', { version }, [{ skill_refs: [tool('web_search')] }])

describe('from end to end', () => {
  verifies(['GATE-173', 'GATE-174'], 'approve, mint, fetch, invoke, revoke, refused', async () => {
    const bundle = stepsOf('flow_end', {}, [{ skill_refs: [tool('web_search')] }])
    await approve(await ask(hub, 'flow_propose', { bundle, intent: 'It helps.' }))
    const pin = { flow_id: 'flow_end', flow_version: '1.0.0' }
    const { presented, grant } = await mint(hub, pin)
    const fetched = await ask(hub, 'flow_project', { flow_id: 'flow_end', harness: 'agent_bundle' })
    expect(bundleIn(fetched).allowed_tools).toEqual(['web_search'])
    expect((await invoke(pin, { presented })).body).toMatchObject({ accepted: true })
    expect((await ask(hub, 'flow_external_grant_revoke', { grant_id: grant.grant_id })).status).toBe(200)
    expect((await invoke(pin, { presented })).code).toBe('FLOW_EXTERNAL_GRANT_REVOKED')
  })

  verifies('GATE-175', 'a new version needs a new grant', async () => {
    const base = bumped('1.2.0')
    await approve(await ask(hub, 'flow_propose', { bundle: base, intent: 'It helps.' }))
    const pin = { flow_id: 'flow_bumped', flow_version: '1.2.0' }
    const { presented } = await mint(hub, pin)
    const edit = {
      flow_id: 'flow_bumped',
      base_version: '1.2.0',
      base_state_id: flowStateId(base.flow, base.steps),
      bundle: bumped('1.3.0'),
      intent: 'It is better.',
    }
    await approve(await ask(hub, 'flow_propose_edit', edit))
    const next = { ...pin, flow_version: '1.3.0' }
    const refused = await invoke(next, { presented })
    expect([refused.status, refused.code]).toEqual([403, 'FLOW_EXTERNAL_GRANT_FLOW_MISMATCH'])
    expect((await invoke(pin, { presented })).status).toBe(200)
    expect((await invoke(next, { presented: (await mint(hub, next)).presented })).status).toBe(200)
  })

  verifies('GATE-176', 'an import with an unknown tool is refused before a proposal exists', async () => {
    const flow_id = 'flow_with_pager'
    const bundle = stepsOf(
      flow_id,
      {},
      UNLISTED.steps.map(({ skill_refs }) => ({ skill_refs })),
    )
    const before = (await ask(hub, 'proposal_list', { limit: 200 })).body.proposals.length
    const refused = await ask(hub, 'flow_import', { bundle, intent: 'Others use it.' })
    expect([refused.status, refused.code]).toEqual([403, 'FLOW_IMPORT_EXTERNAL_TOOL_DENIED'])
    expect((await ask(hub, 'proposal_list', { limit: 200 })).body.proposals).toHaveLength(before)
    expect((await ask(hub, 'flow_get', { flow_id })).code).toBe('unknown_flow')
  })

  verifies('GATE-162', 'with the gate off nothing of it is there', async () => {
    const { presented } = await mint(hub)
    turnGate(hub, '0')
    const said = async (name: string, input: object) => (await ask(hub, name, input, { presented })).code
    expect(await said('flow_external_grant_mint', MINT_INPUT)).toBe('FLOW_EXTERNAL_AGENT_DISABLED')
    expect(await said('flow_external_tool_invoke', USE)).toBe('FLOW_EXTERNAL_AGENT_DISABLED')
    const { flow_id, version } = GATE_FLOW.flow
    const fetch = { flow_id, version, harness: 'agent_bundle' }
    expect(await said('flow_project', fetch)).toBe('FLOW_HARNESS_UNSUPPORTED')
    turnGate(hub, '1')
    expect(await said('flow_external_tool_invoke', USE)).toBeUndefined()
  })
})
