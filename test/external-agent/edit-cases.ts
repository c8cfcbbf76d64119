import { expect, test } from 'vitest'
import type { TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { stepsOf } from './bundles.ts'
import { ask } from './gate-hub.ts'

const INTENT = { intent: 'It helps.' }

/** Registers what an edit of a flow keeps and makes. */
export function describeEdits(hubOf: () => TestHub): void {
  verifies(['FLOW-055', 'FLOW-064', 'FLOW-067'], 'an edit is based on the exact state it names', async () => {
    const flow_id = 'flow_research_brief'
    const base = (await ask(hubOf(), 'flow_export', { flow_id })).body
    const before = await ask(hubOf(), 'flow_get', { flow_id, version: '0.1.0' })
    const bundle = { flow: { ...base.flow, version: '0.2.0' }, steps: base.steps }
    const base_state_id = stateIdOf({ flow: base.flow, steps: base.steps })
    const edit = { flow_id, base_version: '0.1.0', base_state_id, bundle, ...INTENT }
    const wrong = await ask(hubOf(), 'flow_propose_edit', {
      ...edit,
      base_state_id: 'flowst1_0123456789abcdef',
    })
    expect([wrong.status, wrong.code]).toEqual([409, 'FLOW_LINEAGE_CONFLICT'])
    const { status, body } = await ask(hubOf(), 'flow_propose_edit', edit)
    expect([status, body]).toEqual([
      201,
      {
        schema: 'knowtation.flow_proposal/v0',
        proposal_id: body.proposal_id,
        flow_id,
        base_version: '0.1.0',
        base_state_id,
        scope: 'personal',
        auto_approvable: false,
        status: 'proposed',
        review_queue: 'flow-authoring',
      },
    ])
    const approved = await ask(
      hubOf(),
      'proposal_approve',
      { proposal_id: body.proposal_id },
      { as: 'admin' },
    )
    expect(approved.status).toBe(200)
    expect((await ask(hubOf(), 'flow_get', { flow_id, version: '0.1.0' })).text).toBe(before.text)
    expect((await ask(hubOf(), 'flow_get', { flow_id })).body.flow.version).toBe('0.2.0')
  })

  test('a proposal names the kind of credential that made it, so that two of one id are told apart', async () => {
    const { token_ids } = hubOf().credentials
    for (const [as, author] of [
      ['editor', `token:${token_ids.editor}`],
      ['gateway', 'gateway:ann'],
      ['hub', 'hub:hub'],
    ] as const) {
      const bundle = stepsOf(`flow_by_${as}`, {}, [{ skill_refs: [] }])
      const { proposal_id } = (await ask(hubOf(), 'flow_propose', { bundle, ...INTENT }, { as })).body
      const { proposal } = (await ask(hubOf(), 'proposal_show', { proposal_id })).body
      expect([as, proposal.created_by]).toEqual([as, author])
    }
  })
}

/** The state id of a bundle, worked out from the contract's own words and with other means than the hub's. */
function stateIdOf(bundle: { flow: unknown; steps: unknown }): string {
  let state = 0xcbf29ce484222325n
  for (const byte of new TextEncoder().encode(sortedJson(bundle)))
    state = BigInt.asUintN(64, (state ^ BigInt(byte)) * 0x100000001b3n)
  return `flowst1_${state.toString(16).padStart(16, '0')}`
}

function sortedJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part !== null && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([left], [right]) => (left < right ? -1 : 1)))
      : part,
  )
}
