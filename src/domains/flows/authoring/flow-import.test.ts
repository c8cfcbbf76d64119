import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements/verifies.ts'
import type { FlowBundle } from '../bundle/flow-record.ts'
import { type FlowHub, OPEN_POLICY, openFlowHub } from '../flow-hub.fixture.ts'
import {
  approve,
  countProposals,
  draft,
  importBundle,
  propose,
  proposeEdit,
  publish,
  uses,
} from './drafts.fixture.ts'

let hub: FlowHub
beforeEach(async () => void (hub = await openFlowHub()))
afterEach(() => hub.close())

const DENIED = { status: 403, code: 'FLOW_IMPORT_EXTERNAL_TOOL_DENIED' }

/** Lists tools in the vault's policy. */
function list(ids: readonly unknown[], more: object = {}, vault?: string): void {
  hub.setPolicy({ ...OPEN_POLICY, external_agent: { allowed_tools: ids, ...more } }, vault)
}

/** A flow of three steps in which only the last one names the tools. */
function lastUses(...ids: string[]): FlowBundle {
  const { flow, steps } = draft({ step_count: 3 })
  return { flow, steps: steps.map((step, at) => (at === 2 ? { ...step, ...uses(...ids) } : step)) }
}

/** As many tool ids as one step can hold, beginning with a number. */
function toolIds(from: number): string[] {
  return Array.from({ length: 32 }, (_, at) => `tool_${from + at}`)
}

describe('the allowlist at import', () => {
  verifies(
    ['GATE-088', 'GATE-151'],
    'an unlisted tool is rejected under every word but strip_inert',
    async () => {
      for (const word of [
        undefined,
        'reject',
        'reject_unknown',
        'foo',
        'STRIP_INERT',
        7,
        null,
        ['strip_inert'],
      ]) {
        list(['listed'], word === undefined ? {} : { import_policy: word })
        const refused = await importBundle(hub, draft({ step: uses('unlisted') }))
        expect(refused, String(word)).toMatchObject(DENIED)
        expect(Object.keys(refused.body)).toEqual(['error', 'code'])
        expect(refused.text).not.toContain('unlisted')
      }
      for (const surface of ['mcp', 'cli'] as const) {
        expect((await importBundle(hub, draft({ step: uses('unlisted') }), { surface })).code).toBe(
          DENIED.code,
        )
      }
      expect((await importBundle(hub, draft({ step: uses('listed') }))).status).toBe(201)
    },
  )

  verifies('GATE-089', 'strip_inert takes unlisted references out and says so in the audit log', async () => {
    list(['listed', { id: 'described', description: 'Told about' }], { import_policy: 'strip_inert' })
    const step = {
      skill_refs: [
        ...(uses('listed', 'zeta', 'described', 'alpha', 'zeta').skill_refs ?? []),
        { kind: 'cli' as const, id: 'zeta' },
      ],
    }
    const imported = await importBundle(hub, draft({ step, step_count: 2 }))
    expect(imported.status).toBe(201)
    const { proposal_id } = imported.body
    const { steps } = (await hub.ask('proposal_show', { proposal_id })).body
    for (const { skill_refs } of steps) {
      expect(skill_refs).toEqual([
        { kind: 'external_tool', id: 'listed' },
        { kind: 'external_tool', id: 'described' },
        { kind: 'cli', id: 'zeta' },
      ])
    }
    const records = (await hub.records()).filter(({ operation }) => operation.startsWith('flow_import'))
    expect(
      records.map(({ operation, target_kind, target_id }) => [operation, target_kind, target_id]),
    ).toEqual([
      ['flow_import', 'proposal', proposal_id],
      ['flow_import_stripped', 'external_tool', 'alpha'],
      ['flow_import_stripped', 'external_tool', 'zeta'],
    ])
    // Told in one transaction: no record of another call can come between them.
    expect(records[2]?.seq).toBe((records[0]?.seq ?? 0) + 2)
    expect(new Set(records.map(({ caller_id, surface }) => `${caller_id} ${surface}`))).toHaveProperty(
      'size',
      1,
    )
  })

  test('more references than can be told are not taken out but refused', async () => {
    list([], { import_policy: 'strip_inert' })
    const { flow, steps } = draft({ step_count: 4 })
    const many = { flow, steps: steps.map((step, at) => ({ ...step, ...uses(...toolIds(at * 32)) })) }
    expect(await importBundle(hub, many)).toMatchObject(DENIED)
    const withTools = (count: number) => ({
      flow,
      steps: many.steps.map((step, at) => ({
        ...step,
        skill_refs: step.skill_refs.slice(0, Math.max(0, count - at * 32)),
      })),
    })
    expect(await importBundle(hub, withTools(101))).toMatchObject(DENIED)
    expect((await importBundle(hub, withTools(100))).status).toBe(201)
    const fewer = {
      flow,
      steps: steps.map((step, at) => ({ ...step, ...uses(...toolIds(at).slice(0, 20)) })),
    }
    expect((await importBundle(hub, fewer)).status).toBe(201)
  })

  verifies(
    ['GATE-090', 'GATE-092', 'GATE-137'],
    'one bad tool, wherever it is, refuses all of it',
    async () => {
      list(['good'])
      const refused = await importBundle(hub, lastUses('good', 'bad'))
      expect(refused).toMatchObject(DENIED)
      expect(refused.body.proposal_id).toBeUndefined()
      expect(await countProposals(hub)).toBe(0)
      expect((await importBundle(hub, lastUses('good'))).status).toBe(201)
    },
  )

  verifies('GATE-093', "what counts is the vault's own list", async () => {
    list(['web_search'])
    list(['other'], {}, 'beta')
    const bundle = draft({ step: uses('web_search') })
    expect((await importBundle(hub, bundle)).status).toBe(201)
    expect(await importBundle(hub, bundle, { vault: 'beta' })).toMatchObject(DENIED)
  })

  verifies('GATE-138', 'the list counts whatever the external-agent gate says', async () => {
    for (const enabled of [false, true]) {
      list(['listed'], { enabled })
      expect(await importBundle(hub, draft({ step: uses('unlisted') }))).toMatchObject(DENIED)
    }
  })

  verifies('GATE-141', 'a malformed reference is not overlooked', async () => {
    for (const ref of [
      { kind: 'EXTERNAL_TOOL', id: 'x' },
      { kind: 'external_tool', id: ' ' },
      { id: 'x' },
      'x',
    ]) {
      const { flow, steps } = draft()
      const bundle = { flow, steps: [{ ...steps[0], skill_refs: [ref] }] }
      expect(await importBundle(hub, bundle)).toMatchObject({
        status: 400,
        code: 'FLOW_IMPORT_BUNDLE_MALFORMED',
      })
    }
  })
})

describe('an import', () => {
  verifies('FLOW-025', 'the hints about its origin are short or refused', async () => {
    const ask = (more: object) => hub.ask('flow_import', { bundle: draft(), intent: 'x', ...more })
    const malformed = { status: 400, code: 'FLOW_IMPORT_BUNDLE_MALFORMED' }
    expect(await ask({ source_vault_hint: 'v'.repeat(129) })).toMatchObject(malformed)
    expect(await ask({ external_ref: 'r'.repeat(257) })).toMatchObject(malformed)
    expect(await ask({ external_ref: 'a\u0000b' })).toMatchObject(malformed)
    const origin = { source_vault_hint: 'v'.repeat(128), external_ref: 'r'.repeat(256) }
    const kept = await ask(origin)
    expect(kept.status).toBe(201)
    const { proposal_id } = kept.body
    expect((await hub.ask('proposal_show', { proposal_id })).body.proposal).toMatchObject(origin)
  })

  verifies('GATE-139', 'into a scope that the caller may not write has its own code', async () => {
    expect(await importBundle(hub, draft({ scope: 'org' }), { as: 'editor' })).toMatchObject({
      status: 403,
      code: 'FLOW_IMPORT_SCOPE_DENIED',
    })
  })

  verifies('FLOW-063', 'does not bring automatable steps in', async () => {
    list(['listed'])
    const { flow, steps } = draft({ step: uses('listed'), step_count: 3 })
    // One is enough, wherever it is.
    for (const ordinal of [1, 3]) {
      const some = steps.map((step) =>
        step.ordinal === ordinal ? { ...step, automatable: 'automatable' as const } : step,
      )
      expect(await importBundle(hub, { flow, steps: some })).toMatchObject({
        status: 403,
        code: 'FLOW_IMPORT_AUTOMATABLE_DENIED',
      })
    }
    expect((await importBundle(hub, { flow, steps })).status).toBe(201)
  })

  verifies('FLOW-062', 'its checks come in the order of the contract', async () => {
    await publish(hub, draft({ scope: 'org' }))
    hub.setMembers({ scope_overrides: { tok_lost: { ambiguous: true } } })
    const step = { automatable: 'automatable' as const, ...uses('unlisted') }
    const ask = (input: object, as: string) => hub.ask('flow_import', { intent: 'x', ...input }, { as })
    // Everything is wrong at once; then, one after the other, the first fault is mended.
    const wrong = { bundle: { ...draft({ scope: 'org', step }), steps: [] }, intent: ' ' }
    hub.setPolicy({ flow_authoring: { forbidden: true } })
    expect((await ask(wrong, 'viewer/lost')).code).toBe('FLOW_AUTHORING_POLICY_FORBIDDEN')
    hub.setPolicy({})
    expect((await ask(wrong, 'viewer/lost')).code).toBe('FLOW_AUTHORING_DISABLED')
    hub.setPolicy(OPEN_POLICY)
    const intent = await ask(wrong, 'viewer/lost')
    expect([intent.code, intent.body.error]).toEqual(['FLOW_IMPORT_BUNDLE_MALFORMED', 'intent is not valid.'])
    const shape = await ask({ ...wrong, intent: 'x' }, 'viewer/lost')
    expect([shape.code, shape.body.error]).toEqual([
      'FLOW_IMPORT_BUNDLE_MALFORMED',
      'steps must be a non-empty array',
    ])
    const bundle = draft({ scope: 'org', step })
    expect((await ask({ bundle }, 'viewer/lost')).code).toBe('FLOW_SCOPE_AMBIGUOUS')
    expect((await ask({ bundle }, 'viewer')).code).toBe('FLOW_IMPORT_SCOPE_DENIED')
    expect((await ask({ bundle }, 'admin')).code).toBe('FLOW_IMPORT_EXTERNAL_TOOL_DENIED')
    list(['unlisted'])
    expect((await ask({ bundle }, 'admin')).code).toBe('FLOW_IMPORT_AUTOMATABLE_DENIED')
    const mended = draft({ scope: 'org', step: uses('unlisted') })
    expect((await ask({ bundle: mended }, 'admin')).code).toBe('FLOW_LINEAGE_CONFLICT')
  })

  verifies('GATE-140', 'is a proposal and nothing more until it is approved', async () => {
    const imported = await importBundle(hub, draft())
    expect(imported).toMatchObject({ status: 201, body: { status: 'proposed' } })
    const read = () => hub.ask('flow_get', { flow_id: 'flow_own' })
    expect(await read()).toMatchObject({ status: 404, code: 'unknown_flow' })
    await approve(hub, imported)
    expect((await read()).status).toBe(200)
  })

  verifies('FLOW-070', 'what was exported comes back field for field', async () => {
    list(['web_search'])
    list(['web_search'], {}, 'beta')
    await publish(hub, draft({ step_count: 3, step: { ...uses('web_search'), requires: [] } }))
    for (const flow_id of ['flow_own', 'flow_overseer_handover']) {
      const exported = await hub.ask('flow_export', { flow_id })
      for (const vault of ['default', 'beta']) {
        const imported = await importBundle(hub, exported.body, { vault })
        expect(imported.status).toBe(201)
        const { proposal_id } = imported.body
        const { flow, steps } = (await hub.ask('proposal_show', { proposal_id }, { vault })).body
        expect({ flow, steps }).toEqual(exported.body)
      }
    }
  })

  verifies('FLOW-057', 'and an edit find the starter flows before anyone has read them', async () => {
    for (const vault of ['one', 'two']) hub.setPolicy(OPEN_POLICY, vault)
    const flow_id = 'flow_research_brief'
    const { flow, steps } = (await hub.ask('flow_export', { flow_id })).body
    const next = { flow: { ...flow, version: '0.2.0' }, steps }
    expect((await proposeEdit(hub, { flow, steps }, next, { vault: 'one' })).status).toBe(201)
    const taken = await importBundle(hub, draft({ flow_id }), { vault: 'two' })
    expect(taken.code).toBe('FLOW_LINEAGE_CONFLICT')
  })

  test('of a flow that is there already as it is changes nothing when approved', async () => {
    const bundle = await publish(hub, draft())
    const again = await importBundle(hub, bundle)
    expect((await approve(hub, again)).code).toBe('FLOW_LINEAGE_CONFLICT')
    expect((await importBundle(hub, draft({ version: '2.0.0' }))).code).toBe('FLOW_LINEAGE_CONFLICT')
    // What counts is what is left of it.
    list([], { import_policy: 'strip_inert' })
    expect((await importBundle(hub, draft({ step: uses('unlisted') }))).status).toBe(201)
  })

  verifies('GATE-106', 'neither proposing nor importing nor approving calls a tool', async () => {
    let calls = 0
    const provider = createServer((_, answer) => {
      calls++
      answer.end('{}')
    })
    await new Promise<void>((ready) => provider.listen(0, '127.0.0.1', ready))
    const url = `http://127.0.0.1:${(provider.address() as AddressInfo).port}/`
    const tool = { id: 'ring', description: 'Rings', provider: { kind: 'http', method: 'POST', url } }
    list([tool], { enabled: true })
    const base = await publish(hub, draft({ step: uses('ring') }))
    await approve(hub, await proposeEdit(hub, base, draft({ version: '1.1.0', step: uses('ring') })))
    await approve(hub, await importBundle(hub, draft({ flow_id: 'flow_in', step: uses('ring') })))
    expect((await propose(hub, draft({ flow_id: 'flow_new', step: uses('ring') }))).status).toBe(201)
    await new Promise((closed) => provider.close(closed))
    expect(calls).toBe(0)
  })
})
