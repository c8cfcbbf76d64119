import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished } from 'vitest'
import { flowStateId } from '../../src/domains/flows/bundle/state-id.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { type Clock, storeFlows, type TestHub } from '../harness/test-hub.ts'
import { expectParity, type ParityCase } from '../parity/parity-case.ts'
import { verifies } from '../requirements/verifies.ts'
import { GATE_FLOW_NEXT, HIGHER_SCOPE, stepsOf, tool } from './bundles.ts'
import { BUNDLE, fetchWith, invoke, MINT } from './code-cases.ts'
import { ALLOWED_TOOLS, ask, GATE, listed, MINT_INPUT, mint, turnGate, USE, writePolicy } from './gate-hub.ts'

const SURFACES = ['rest', 'mcp', 'cli'] as const
const INTENT = { intent: 'It helps.' }
const REVOKED = 'FLOW_EXTERNAL_GRANT_REVOKED'
const DENIED = 'FLOW_EXTERNAL_GRANT_DENIED'
const MISMATCH = 'FLOW_EXTERNAL_GRANT_FLOW_MISMATCH'
const PINNED = { mcp: 'over MCP the pin comes from the grant itself' }
const dropVersion = sql('DELETE FROM flow_versions WHERE vault_id = ? AND flow_id = ?')

/** A provider on this machine that counts who comes. */
export async function startCounter(): Promise<{ tool: object; calls(): number }> {
  let calls = 0
  const server = createServer((_, answer) => {
    calls++
    answer.setHeader('content-type', 'application/json').end('{"rung":true}')
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return {
    tool: { id: 'ring', description: 'Rings', provider: { kind: 'http', method: 'POST', url } },
    calls: () => calls,
  }
}

/** Registers what an invoke needs, one condition after the other. */
export function describeConditions(stage: () => { hub: TestHub; clock: Clock }): void {
  const alike = (one: Partial<ParityCase> & Pick<ParityCase, 'operation' | 'status'>) =>
    expectParity(stage().hub, { name: '', as: 'editor', ...one })
  const refused = (one: Partial<ParityCase> & Pick<ParityCase, 'operation'>, code: string, status = 403) =>
    alike({ ...one, code, status })

  verifies(['GATE-048', 'GATE-049'], 'what is revoked stays so, whatever happens next', async () => {
    const { hub } = stage()
    const minted = await mint(hub)
    expect(minted.grant.revoked_at).toBeNull()
    const { body } = await ask(hub, 'flow_external_grant_revoke', { grant_id: minted.grant.grant_id })
    expect(new Date(body.revoked_at).toISOString()).toBe(body.revoked_at)
    turnGate(hub, '0')
    turnGate(hub, '1')
    writePolicy(hub, { max_ttl_seconds: 600 })
    const again = await mint(hub)
    await alike({ ...invoke(again), status: 200 })
    await refused(invoke(minted), REVOKED)
    await refused(fetchWith(minted), REVOKED)
    expect((await listed(hub)).find((one) => one.grant_id === minted.grant.grant_id)).toEqual(body)
  })

  verifies('GATE-098', '1: the gate is on', async () => {
    const { hub } = stage()
    const minted = await mint(hub)
    turnGate(hub, '0')
    await refused(invoke(minted), 'FLOW_EXTERNAL_AGENT_DISABLED')
    await refused({ operation: 'flow_external_tool_invoke', input: USE }, 'FLOW_EXTERNAL_AGENT_DISABLED')
  })

  verifies('GATE-099', '2: a version that is only proposed cannot be granted', async () => {
    const { hub } = stage()
    const { flow, steps } = GATE_FLOW_NEXT
    const edit = {
      flow_id: flow.flow_id,
      base_version: flow.version,
      base_state_id: flowStateId(flow, steps),
      bundle: { flow: { ...flow, version: '2.0.0' }, steps },
      ...INTENT,
    }
    const { status, proposal_id } = (await ask(hub, 'flow_propose_edit', edit)).body
    expect(status).toBe('proposed')
    const minting = { ...MINT, input: { ...MINT_INPUT, flow_version: '2.0.0' } }
    await refused(minting, DENIED)
    // What was discarded is no version at all any more.
    await ask(hub, 'proposal_discard', { proposal_id }, { as: 'admin' })
    await refused(minting, 'unknown_flow', 404)
    const hidden = { ...HIGHER_SCOPE.flow, version: '2.0.0' }
    const base = { base_version: '1.2.0', base_state_id: flowStateId(HIGHER_SCOPE.flow, HIGHER_SCOPE.steps) }
    const bundle = { flow: hidden, steps: HIGHER_SCOPE.steps }
    const as = 'admin' as const
    await ask(hub, 'flow_propose_edit', { flow_id: 'flow_higher', ...base, bundle, ...INTENT }, { as })
    const input = { ...MINT_INPUT, flow_id: 'flow_higher', flow_version: '2.0.0' }
    await refused({ ...MINT, input, as }, DENIED)
    await refused({ ...MINT, input }, 'unknown_flow', 404)
  })

  verifies('GATE-100', '2: a version that was withdrawn takes its grants with it', async () => {
    const { hub } = stage()
    const flow_id = 'flow_withdrawn'
    await storeFlows(hub.hub, 'default', [stepsOf(flow_id, { version: '1.2.0' }, [{}])])
    const minted = await mint(hub, { flow_id })
    await alike({ ...invoke(minted, { flow_id }), status: 200 })
    await hub.hub.db.transaction((tx) => tx.run(dropVersion, 'default', flow_id))
    await refused(invoke(minted, { flow_id }), DENIED)
  })

  verifies('GATE-101', '3: flow and version are named, and are those of the grant', async () => {
    const { hub } = stage()
    const minted = await mint(hub)
    const { tool_id, flow_id, flow_version } = USE
    const inputs = [
      { tool_id },
      { tool_id, flow_id },
      { tool_id, flow_version },
      { ...USE, flow_id: 'flow_plain' },
      { ...USE, flow_version: '1.3.0' },
    ]
    for (const input of inputs) await refused({ ...invoke(minted), input, notOn: PINNED }, MISMATCH)
    await refused(fetchWith(minted, { version: '1.3.0' }), MISMATCH)
    await refused(fetchWith(minted, { flow_id: 'flow_plain', version: '1.0.0' }), MISMATCH)
    await alike({ ...invoke(minted), status: 200 })
  })

  verifies(['GATE-102', 'GATE-103'], '4 and 5: the tool is in the grant, and still on the list', async () => {
    const { hub } = stage()
    const minted = await mint(hub)
    await refused(invoke(minted, { tool_id: 'slack_notify' }), 'FLOW_EXTERNAL_GRANT_TOOL_DENIED')
    writePolicy(hub, { allowed_tools: ALLOWED_TOOLS.filter(({ id }) => id !== 'web_search') })
    await refused(invoke(minted), 'FLOW_EXTERNAL_TOOL_DENIED')
    await refused(invoke(minted, { tool_id: 'pager_call' }), 'FLOW_EXTERNAL_GRANT_TOOL_DENIED')
  })

  verifies('GATE-104', '6: the caller can read the flow', async () => {
    const { hub } = stage()
    const flow_id = 'flow_higher'
    const minted = await mint(hub, { flow_id }, { as: 'admin' })
    await alike({ ...invoke(minted, { flow_id }), as: 'admin', status: 200 })
    for (const as of ['viewer', 'editor'] as const)
      await refused({ ...invoke(minted, { flow_id }), as }, 'unknown_flow', 404)
  })

  verifies('GATE-105', 'the first of several faults is told', async () => {
    const { hub, clock } = stage()
    const wrong = { flow_id: 'flow_plain', tool_id: 'pager_call' }
    clock.now = new Date(Date.now() - 7_200_000)
    const old = await mint(hub)
    const dead = await mint(hub)
    await ask(hub, 'flow_external_grant_revoke', { grant_id: dead.grant.grant_id })
    clock.now = undefined
    const minted = await mint(hub)
    await refused(invoke({ presented: { external_bearer: 'x' } }, wrong), DENIED)
    await refused(
      { ...invoke(dead, wrong), presented: { ...dead.presented, grant_id: old.grant.grant_id } },
      DENIED,
    )
    await refused(invoke(dead, wrong), REVOKED)
    await refused(invoke(old, wrong), 'FLOW_EXTERNAL_GRANT_EXPIRED')
    await refused({ ...invoke(minted, wrong), notOn: PINNED }, MISMATCH)
    await refused(
      { ...invoke(minted, { ...wrong, flow_id: 'flow_gate', flow_version: '9.9.9' }), notOn: PINNED },
      MISMATCH,
    )
    await refused(invoke(minted, { tool_id: 'pager_call' }), 'FLOW_EXTERNAL_GRANT_TOOL_DENIED')
    turnGate(hub, '0')
    await refused(invoke({ presented: { external_bearer: 'x' } }, wrong), 'FLOW_EXTERNAL_AGENT_DISABLED')
  })

  verifies('GATE-107', 'reading a bundle opens nothing', async () => {
    await alike({ ...BUNDLE, status: 200 })
    await alike({ ...BUNDLE, status: 200 })
    await refused({ operation: 'flow_external_tool_invoke', input: USE }, DENIED)
  })

  verifies(
    ['GATE-057', 'GATE-106', 'GATE-108', 'GATE-109'],
    'only an invoke calls a tool: not a proposal, an import, an approval or a run',
    async () => {
      const { hub } = stage()
      const counter = await startCounter()
      writePolicy(hub, { allowed_tools: [counter.tool] })
      const bundle = stepsOf('flow_ring', { version: '1.2.0' }, [{ skill_refs: [tool('ring')] }, {}])
      const unlisted = {
        ...bundle,
        steps: bundle.steps.map((step) => ({ ...step, skill_refs: [tool('ring')] })),
      }
      const { body } = await ask(hub, 'flow_propose', { bundle: unlisted, ...INTENT })
      await ask(hub, 'proposal_approve', { proposal_id: body.proposal_id }, { as: 'admin' })
      const other = stepsOf('flow_ring_in', {}, [{ skill_refs: [tool('ring')] }])
      expect((await ask(hub, 'flow_import', { bundle: other, ...INTENT })).status).toBe(201)
      const flow_id = 'flow_ring'
      const minted = await mint(hub, { flow_id, requested_tools: ['ring'] })
      const { run } = (await ask(hub, 'flow_run_start', { flow_id })).body
      const step = { flow_id, run_id: run.run_id, step_id: 'flow_ring#1' }
      for (const to_status of ['in_progress', 'blocked'])
        expect((await ask(hub, 'flow_run_advance', { ...step, to_status })).status).toBe(200)
      await ask(hub, 'flow_run_advance', { ...step, to_status: 'skipped', skip_reason: 'policy' })
      expect(counter.calls()).toBe(0)
      expect((await listed(hub, { flow_id }))[0]?.invocation_count).toBe(0)
      const use = { tool_id: 'ring', flow_id, flow_version: '1.2.0' }
      const invoked = await ask(hub, 'flow_external_tool_invoke', use, { presented: minted.presented })
      expect(Object.keys(invoked.body)).toEqual(['schema', 'tool_id', 'accepted', 'grant_id', 'result'])
      expect([counter.calls(), (await listed(hub, { flow_id }))[0]?.invocation_count]).toEqual([1, 1])
    },
  )

  verifies(
    'GATE-097',
    'with the gate off a flow with tools is proposed, approved, read and rendered',
    async () => {
      const { hub } = stage()
      turnGate(hub, '0')
      for (const way of SURFACES) {
        const flow_id = `flow_tools_${way}`
        const bundle = stepsOf(flow_id, {}, [{ skill_refs: [tool('web_search')] }])
        const { proposal_id } = (await ask(hub, 'flow_propose', { bundle, ...INTENT }, { way })).body
        const approved = await ask(hub, 'proposal_approve', { proposal_id }, { way, as: 'admin' })
        expect(approved.body.status).toBe('approved')
      }
      const flow_id = 'flow_tools_rest'
      await alike({ operation: 'flow_get', input: { flow_id }, status: 200 })
      await alike({
        operation: 'flow_export',
        input: { flow_id },
        status: 200,
        check: (body) => expect(body.steps[0].skill_refs).toEqual([tool('web_search')]),
      })
      await alike({ operation: 'flow_project', input: { flow_id, harness: 'cursor_rule' }, status: 200 })
      expect(hub.options.env[GATE]).toBe('0')
    },
  )

  verifies(['FLOW-071', 'FLOW-074'], 'no consent and no other kind of grant opens a tool', async () => {
    const { hub } = stage()
    const { bearer } = await mint(hub)
    const opaque = bearer.slice('fgrnt_bearer_'.length)
    for (const external_bearer of [`dgrnt_bearer_${opaque}`, `fcons_${opaque.slice(0, 32)}`])
      await refused(invoke({ presented: { external_bearer } }), DENIED)
    for (const grant_id of [`fcons_${opaque.slice(0, 32)}`])
      await refused(
        {
          ...invoke({ presented: { external_bearer: bearer } }),
          presented: { external_bearer: bearer, grant_id },
        },
        DENIED,
      )
  })
}
