import { expect } from 'vitest'
import type { TestHub } from '../harness/test-hub.ts'
import { expectParity, type ParityCase } from '../parity/parity-case.ts'
import { verifies } from '../requirements/verifies.ts'
import { stepsOf, tool, UNLISTED } from './bundles.ts'
import { BUNDLE, invoke, MINT } from './code-cases.ts'
import { ask, bundleIn, type Minted, mint, policyWith, turnGate, USE, writePolicy } from './gate-hub.ts'
import { maskMint } from './mint-cases.ts'

const SURFACES = ['rest', 'mcp', 'cli'] as const
const INTENT = { intent: 'Others use it.' }
const OFF = 'FLOW_EXTERNAL_AGENT_DISABLED'

const lifetime_seconds = ({ grant }: Minted) =>
  (Date.parse(grant.expires_at) - Date.parse(grant.issued_at)) / 1_000

/** Registers what a vault's policy decides for all surfaces alike. */
export function describePolicy(hubOf: () => TestHub, allowed: readonly { id: string }[]): void {
  const alike = (one: Partial<ParityCase> & Pick<ParityCase, 'operation' | 'status'>) =>
    expectParity(hubOf(), { name: '', as: 'editor', mask: maskMint, ...one })

  verifies('GATE-013', 'a tool that leaves the list leaves mint, import and bundle everywhere', async () => {
    const hub = hubOf()
    const bundle = stepsOf('flow_imported', {}, [{ skill_refs: [tool('web_search')] }])
    const before = await ask(hub, 'flow_import', { bundle, ...INTENT })
    expect(before.status).toBe(201)
    expect(bundleIn(await ask(hub, BUNDLE.operation, BUNDLE.input)).allowed_tools).toContain('web_search')
    writePolicy(hub, { allowed_tools: allowed.filter(({ id }) => id !== 'web_search') })
    await alike({ ...MINT, status: 403, code: 'FLOW_EXTERNAL_TOOL_DENIED' })
    const input = { bundle: { ...bundle }, ...INTENT }
    await alike({ operation: 'flow_import', input, status: 403, code: 'FLOW_IMPORT_EXTERNAL_TOOL_DENIED' })
    await alike({
      ...BUNDLE,
      status: 200,
      check: (body) =>
        expect(JSON.parse(body.projection.rendered).allowed_tools).toEqual([
          'alpha',
          'beta',
          'late_tool',
          'slack_notify',
        ]),
    })
  })

  verifies('GATE-086', 'the environment wins, then the policy; else the gate is off', async () => {
    const hub = hubOf()
    const rows = [
      ['0', true, false],
      ['false', true, false],
      ['1', false, true],
      ['true', undefined, true],
      [undefined, true, true],
      [undefined, false, false],
      [undefined, undefined, false],
      ['yes', undefined, false],
      ['yes', true, true],
      ['', true, true],
    ] as const
    for (const [variable, enabled, on] of rows) {
      turnGate(hub, variable)
      writePolicy(hub, enabled === undefined ? {} : { enabled })
      const { code } = await ask(hub, MINT.operation, MINT.input)
      expect([variable, enabled, code]).toEqual([variable, enabled, on ? undefined : OFF])
    }
    turnGate(hub, 'yes')
    writePolicy(hub)
    await alike({ ...MINT, status: 403, code: OFF })
  })

  verifies('GATE-087', 'lifetimes that the policy does not name have their defaults', async () => {
    const hub = hubOf()
    const { external_agent } = policyWith() as { external_agent: { allowed_tools: object } }
    const { allowed_tools } = external_agent
    hub.write(hub.home.vaultPolicy('default'), { external_agent: { enabled: true, allowed_tools } })
    for (const way of SURFACES) {
      expect(lifetime_seconds(await mint(hub, { ttl_seconds: 100_000 }, { way }))).toBe(86_400)
      expect(lifetime_seconds(await mint(hub, {}, { way }))).toBe(3_600)
    }
    writePolicy(hub, { default_ttl_seconds: 120, max_ttl_seconds: 600 })
    expect(lifetime_seconds(await mint(hub))).toBe(120)
    expect(lifetime_seconds(await mint(hub, { ttl_seconds: 601 }))).toBe(600)
  })

  verifies('GATE-088', 'an import with an unlisted tool is refused under every word but one', async () => {
    for (const import_policy of [undefined, 'reject', 'reject_unknown', 'foo']) {
      writePolicy(hubOf(), import_policy === undefined ? {} : { import_policy })
      const input = { bundle: { ...UNLISTED }, ...INTENT }
      await alike({ operation: 'flow_import', input, status: 403, code: 'FLOW_IMPORT_EXTERNAL_TOOL_DENIED' })
    }
  })

  verifies('GATE-089', 'strip_inert takes the reference out and leaves a record of it', async () => {
    const hub = hubOf()
    writePolicy(hub, { import_policy: 'strip_inert' })
    for (const way of SURFACES) {
      const flow_id = `flow_stripped_${way}`
      const bundle = stepsOf(flow_id, {}, [{ skill_refs: [tool('web_search'), tool('pager_call')] }])
      const { body } = await ask(hub, 'flow_import', { bundle, ...INTENT }, { way })
      expect(body.status).toBe('proposed')
      const shown = await ask(hub, 'proposal_show', { proposal_id: body.proposal_id })
      expect(shown.body.steps[0].skill_refs).toEqual([tool('web_search')])
      const { records } = (await ask(hub, 'audit_list', { limit: 3 }, { as: 'admin' })).body
      expect(records).toContainEqual(
        expect.objectContaining({
          operation: 'flow_import_stripped',
          target_id: 'pager_call',
          surface: expect.anything(),
        }),
      )
    }
  })

  verifies('GATE-090', 'one tool, two codes: at mint and at import', async () => {
    const input = { flow_id: 'flow_unlisted', flow_version: '1.0.0', requested_tools: ['pager_call'] }
    await alike({ ...MINT, input, status: 403, code: 'FLOW_EXTERNAL_TOOL_DENIED' })
    const imported = { bundle: { ...UNLISTED }, ...INTENT }
    await alike({
      operation: 'flow_import',
      input: imported,
      status: 403,
      code: 'FLOW_IMPORT_EXTERNAL_TOOL_DENIED',
    })
  })

  verifies(['GATE-094', 'GATE-095'], 'a bundle lists declared external tools, not what is said', async () => {
    for (const flow_id of ['flow_malicious', 'flow_cli_only'])
      await alike({
        operation: 'flow_project',
        input: { flow_id, harness: 'agent_bundle' },
        status: 200,
        check: (body) => expect(JSON.parse(body.projection.rendered).allowed_tools).toEqual([]),
      })
  })

  verifies('GATE-052', 'a cap of 0, where the policy allows it, has no end', async () => {
    const hub = hubOf()
    writePolicy(hub, { max_invocations: 0, allow_unlimited_invocations: true })
    const minted = await mint(hub)
    expect(minted.grant.max_invocations).toBe(0)
    const { operation, input, presented } = invoke(minted)
    for (let done = 0; done < 101; done++)
      expect((await ask(hub, operation, input, { presented, way: 'direct' })).status).toBe(200)
    expect((await ask(hub, operation, input, { presented })).body.accepted).toBe(true)
  })

  verifies('GATE-053', 'a cap of 0 without that permission is the default of 100', async () => {
    const hub = hubOf()
    for (const more of [{}, { allow_unlimited_invocations: false }]) {
      writePolicy(hub, { max_invocations: 0, ...more })
      for (const way of SURFACES) expect((await mint(hub, {}, { way })).grant.max_invocations).toBe(100)
    }
    writePolicy(hub, { max_invocations: 2 })
    const { presented } = await mint(hub)
    const codes = []
    for (let asked = 0; asked < 3; asked++)
      codes.push((await ask(hub, 'flow_external_tool_invoke', USE, { presented })).code)
    expect(codes).toEqual([undefined, undefined, 'FLOW_EXTERNAL_GRANT_DENIED'])
  })
}
