import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements/verifies.ts'
import { flowStateId } from '../bundle/state-id.ts'
import { type FlowHub, OPEN_POLICY, openFlowHub } from '../flow-hub.fixture.ts'
import {
  approve,
  countProposals,
  draft,
  importBundle,
  propose,
  proposeEdit,
  publish,
  UNATTENDED,
  uses,
} from './drafts.fixture.ts'

let hub: FlowHub
beforeEach(async () => void (hub = await openFlowHub()))
afterEach(() => hub.close())

const ask = (input: object) => hub.ask('flow_propose', { intent: 'x', ...input })
const AUTHORING = ['flow_propose', 'flow_propose_edit', 'flow_import'] as const

describe('the gate', () => {
  verifies(
    'FLOW-053',
    'authoring is off on a new home, and a policy that forbids it is told first',
    async () => {
      hub.setPolicy({})
      // The gate comes before the input: what is sent is not even read.
      for (const name of AUTHORING) {
        expect(await hub.ask(name, { no: 'sense' })).toMatchObject({
          status: 403,
          code: 'FLOW_AUTHORING_DISABLED',
        })
      }
      const forbidden = { status: 403, code: 'FLOW_AUTHORING_POLICY_FORBIDDEN' }
      hub.setPolicy({ flow_authoring: { forbidden: true } })
      for (const name of AUTHORING) expect(await hub.ask(name, {})).toMatchObject(forbidden)
      hub.setEnv('FLOW_AUTHORING_WRITES', '1')
      for (const name of AUTHORING) expect(await hub.ask(name, {})).toMatchObject(forbidden)
      hub.setPolicy({})
      expect((await propose(hub, draft())).status).toBe(201)
    },
  )

  test('a damaged policy shuts authoring', async () => {
    hub.setPolicy({ flow_authoring: { writes_enabled: true, forbiden: true } })
    expect((await propose(hub, draft())).code).toBe('FLOW_AUTHORING_DISABLED')
    // It might forbid authoring, so the environment alone does not open it.
    hub.setEnv('FLOW_AUTHORING_WRITES', '1')
    expect((await propose(hub, draft())).code).toBe('FLOW_AUTHORING_POLICY_FORBIDDEN')
    // Who says in the environment that it is not forbidden has the last word.
    hub.setEnv('FLOW_AUTHORING_FORBIDDEN', '0')
    expect((await propose(hub, draft())).status).toBe(201)
  })

  test('with authoring off nothing is approved, but what waits can be evaluated and discarded', async () => {
    const waiting = await propose(hub, draft())
    hub.setPolicy({})
    expect((await approve(hub, waiting)).code).toBe('FLOW_AUTHORING_DISABLED')
    const { proposal_id } = waiting.body
    expect((await hub.ask('proposal_evaluate', { proposal_id, outcome: 'pass' })).status).toBe(200)
    expect((await hub.ask('proposal_discard', { proposal_id })).status).toBe(200)
  })
})

describe('a proposal', () => {
  verifies(['FLOW-054', 'FLOW-055'], 'new, edited and imported drafts each become a proposal', async () => {
    const base = draft()
    const made = await propose(hub, base)
    expect(made.status).toBe(201)
    expect(Object.keys(made.body)).toEqual([
      'schema',
      'proposal_id',
      'flow_id',
      'base_version',
      'base_state_id',
      'scope',
      'auto_approvable',
      'status',
      'review_queue',
    ])
    expect(made.body).toEqual({
      schema: 'knowtation.flow_proposal/v0',
      proposal_id: expect.stringMatching(/^prop_[a-z0-9]{8,48}$/),
      flow_id: 'flow_own',
      base_version: null,
      base_state_id: null,
      scope: 'personal',
      auto_approvable: false,
      status: 'proposed',
      review_queue: 'flow-authoring',
    })
    await approve(hub, made)
    const edited = await proposeEdit(hub, base, draft({ version: '1.1.0' }))
    expect(edited.status).toBe(201)
    expect(edited.body).toMatchObject({
      base_version: '1.0.0',
      base_state_id: flowStateId(base.flow, base.steps),
    })
    const imported = await importBundle(hub, draft({ flow_id: 'flow_other' }))
    expect(imported).toMatchObject({ status: 201, body: { base_version: null, status: 'proposed' } })
  })

  verifies('FLOW-056', 'an intent is required', async () => {
    for (const intent of [undefined, '', ' \n ', 7, 'x'.repeat(2_001)]) {
      const given = intent === undefined ? {} : { intent }
      const proposed = await hub.ask('flow_propose', { ...draft(), ...given })
      expect(proposed).toMatchObject({ status: 400, code: 'FLOW_DRAFT_INVALID' })
      const imported = await hub.ask('flow_import', { bundle: draft(), ...given })
      expect(imported).toMatchObject({ status: 400, code: 'FLOW_IMPORT_BUNDLE_MALFORMED' })
    }
    expect(await countProposals(hub)).toBe(0)
  })

  verifies(
    ['FLOW-061', 'FLOW-004'],
    'a bundle that is not a valid flow is refused with its own code',
    async () => {
      const { flow, steps } = draft()
      const wrong: Record<string, unknown>[] = [
        { flow },
        { steps },
        { flow, steps: [] },
        { flow: 'flow_own', steps },
        { flow, steps: [{ ...steps[0], automatable: 'auto' }] },
        { flow: { ...flow, auto_approvable: true }, steps },
      ]
      for (const bundle of wrong) {
        const proposed = await hub.ask('flow_propose', { ...bundle, intent: 'x' })
        expect(proposed).toMatchObject({ status: 400, code: 'FLOW_DRAFT_INVALID' })
        const imported = await hub.ask('flow_import', { bundle, intent: 'x' })
        expect(imported).toMatchObject({ status: 400, code: 'FLOW_IMPORT_BUNDLE_MALFORMED' })
      }
      expect((await propose(hub, draft({ step: { automatable: 'automatable' } }))).status).toBe(201)
    },
  )

  test('a draft comes whole or in parts, never both, and nothing else comes with it', async () => {
    const bundle = draft()
    expect((await ask({ bundle, intent: 'x'.repeat(2_000) })).status).toBe(201)
    expect((await ask({ ...bundle, base_version: null, base_state_id: null })).status).toBe(201)
    expect((await ask({ bundle, ...bundle })).code).toBe('FLOW_DRAFT_INVALID')
    expect((await ask({ ...bundle, base_version: '1.0.0' })).code).toBe('FLOW_DRAFT_INVALID')
    expect((await ask({ ...bundle, vault_id: 'other' })).code).toBe('FLOW_DRAFT_INVALID')
  })

  verifies('FLOW-065', 'whether it could pass by itself is for the hub to say', async () => {
    const sent = { ...draft(), intent: 'x', auto_approvable: true }
    expect((await hub.ask('flow_propose', sent)).body.auto_approvable).toBe(false)
    const unattended = { ...draft({ step: UNATTENDED }), intent: 'x', auto_approvable: false }
    expect((await hub.ask('flow_propose', unattended)).body.auto_approvable).toBe(true)
    const mixed = draft({ flow_id: 'flow_mixed', step_count: 2 })
    const steps = mixed.steps.map((step) => (step.ordinal === 1 ? { ...step, ...UNATTENDED } : step))
    expect((await propose(hub, { ...mixed, steps })).body.auto_approvable).toBe(false)
    const bundle = draft({ flow_id: 'flow_in' })
    expect(
      (await hub.ask('flow_import', { bundle, intent: 'x', auto_approvable: true })).body.auto_approvable,
    ).toBe(false)
  })

  verifies(
    'FLOW-060',
    'who may write where: editors up to project, admins everywhere, readers nowhere',
    async () => {
      const allowed: Record<string, string[]> = {
        admin: ['personal', 'project', 'org'],
        editor: ['personal', 'project'],
        evaluator: [],
        viewer: [],
      }
      for (const [as, scopes] of Object.entries(allowed)) {
        for (const scope of ['personal', 'project', 'org'] as const) {
          const proposed = await propose(hub, draft({ scope }), { as })
          expect(proposed.code, `${as} ${scope}`).toBe(scopes.includes(scope) ? null : 'FLOW_SCOPE_DENIED')
          const imported = await importBundle(hub, draft({ scope }), { as })
          expect(imported.code).toBe(scopes.includes(scope) ? null : 'FLOW_IMPORT_SCOPE_DENIED')
        }
      }
      hub.setMembers({
        scope_overrides: { tok_editor: { scopes: ['personal'] }, tok_admin: { ambiguous: true } },
      })
      expect((await propose(hub, draft({ scope: 'project' }), { as: 'editor' })).code).toBe(
        'FLOW_SCOPE_DENIED',
      )
      expect((await propose(hub, draft())).code).toBe('FLOW_SCOPE_AMBIGUOUS')
    },
  )

  verifies(
    'GATE-097',
    'external tools may be proposed, approved, read and projected with their gate off',
    async () => {
      await publish(hub, draft({ step: uses('web_search') }))
      expect((await hub.ask('flow_get', { flow_id: 'flow_own' })).body.steps[0].skill_refs).toHaveLength(1)
      expect((await hub.ask('flow_export', { flow_id: 'flow_own' })).status).toBe(200)
      expect((await hub.ask('flow_project', { flow_id: 'flow_own', harness: 'cursor_rule' })).status).toBe(
        200,
      )
    },
  )
})

describe('the lineage', () => {
  verifies('FLOW-057', 'an edit names the version it builds on, and a new flow is new', async () => {
    const base = await publish(hub, draft())
    const next = draft({ version: '1.1.0' })
    const full = {
      flow_id: 'flow_own',
      base_version: '1.0.0',
      base_state_id: flowStateId(base.flow, base.steps),
      intent: 'x',
      ...next,
    }
    for (const missing of ['base_version', 'base_state_id'] as const) {
      const { [missing]: _, ...rest } = full
      expect((await hub.ask('flow_propose_edit', rest)).code).toBe('FLOW_DRAFT_INVALID')
    }
    const conflict = { status: 409, code: 'FLOW_LINEAGE_CONFLICT' }
    const stale = { ...full, base_state_id: 'flowst1_0000000000000000' }
    expect(await hub.ask('flow_propose_edit', stale)).toMatchObject(conflict)
    expect(await hub.ask('flow_propose_edit', { ...full, base_version: '0.9.0' })).toMatchObject(conflict)
    expect(await propose(hub, next)).toMatchObject(conflict)
    // The starter flows are there before anyone has read them.
    hub.setPolicy(OPEN_POLICY, 'fresh')
    const starter = draft({ flow_id: 'flow_research_brief' })
    expect(await propose(hub, starter, { vault: 'fresh' })).toMatchObject(conflict)
    expect((await hub.ask('flow_propose_edit', full)).status).toBe(201)
    const other = await hub.ask('flow_propose_edit', {
      ...full,
      ...draft({ flow_id: 'flow_b', version: '2.0.0' }),
    })
    expect(other.code).toBe('FLOW_DRAFT_INVALID')
  })

  verifies('FLOW-058', 'an edit has a greater version than its base', async () => {
    const base = await publish(hub, draft({ version: '1.2.0' }))
    for (const version of ['1.2.0', '1.1.9', '0.10.0']) {
      expect(await proposeEdit(hub, base, draft({ version }))).toMatchObject({
        status: 400,
        code: 'FLOW_DRAFT_INVALID',
      })
    }
    for (const version of ['1.2.1', '1.10.0', '2.0.0']) {
      expect((await proposeEdit(hub, base, draft({ version }))).status).toBe(201)
    }
  })

  verifies('FLOW-059', 'to edit a flow that the caller cannot read is to edit an unknown one', async () => {
    const base = await publish(hub, draft({ scope: 'org' }))
    const next = draft({ scope: 'org', version: '1.1.0' })
    const invisible = await proposeEdit(hub, base, next, { as: 'viewer' })
    expect(invisible).toMatchObject({ status: 404, code: 'unknown_flow' })
    const missing = draft({ flow_id: 'flow_nope', version: '1.1.0' })
    expect((await proposeEdit(hub, missing, missing, { as: 'viewer' })).text).toBe(invisible.text)
    const own = await publish(hub, draft({ flow_id: 'flow_seen' }))
    const seen = await proposeEdit(hub, own, draft({ flow_id: 'flow_seen', version: '2.0.0' }), {
      as: 'viewer',
    })
    expect(seen).toMatchObject({ status: 403, code: 'FLOW_SCOPE_DENIED' })
  })

  verifies('FLOW-064', 'the state id of a starter flow is what an edit accepts', async () => {
    const { flow, steps } = (await hub.ask('flow_export', { flow_id: 'flow_research_brief' })).body
    const next = { flow: { ...flow, version: '0.2.0' }, steps }
    expect((await proposeEdit(hub, { flow, steps }, next)).status).toBe(201)
    const independent = fnvOf(sorted({ flow, steps }))
    expect(flowStateId(flow, steps)).toBe(`flowst1_${independent}`)
  })

  test('moving a flow to another scope needs authority over both', async () => {
    const base = await publish(hub, draft({ scope: 'project' }))
    const wider = draft({ scope: 'org', version: '2.0.0' })
    expect((await proposeEdit(hub, base, wider, { as: 'editor' })).code).toBe('FLOW_SCOPE_DENIED')
    expect((await proposeEdit(hub, base, wider)).status).toBe(201)
    // Nor is a flow drawn out of a scope that the caller may see and not write to.
    const above = await publish(hub, draft({ flow_id: 'flow_above', scope: 'org' }))
    const narrower = draft({ flow_id: 'flow_above', scope: 'personal', version: '2.0.0' })
    hub.setMembers({ scope_overrides: { tok_editor: { scopes: ['personal', 'project', 'org'] } } })
    expect((await proposeEdit(hub, above, narrower, { as: 'editor' })).code).toBe('FLOW_SCOPE_DENIED')
    expect((await proposeEdit(hub, above, narrower)).status).toBe(201)
  })
})

/** The contract's words in the plainest code: sorted keys, FNV-1a over the bytes. */
function sorted(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return `[${value.map(sorted).join(',')}]`
  if (typeof value !== 'object') return JSON.stringify(value)
  const record = value as Record<string, unknown>
  const keys = Object.keys(record).toSorted()
  return `{${keys.map((key) => `${JSON.stringify(key)}:${sorted(record[key])}`).join(',')}}`
}

function fnvOf(text: string): string {
  let sum = 0xcbf29ce484222325n
  for (const byte of Buffer.from(text)) sum = ((sum ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn
  return sum.toString(16).padStart(16, '0')
}
