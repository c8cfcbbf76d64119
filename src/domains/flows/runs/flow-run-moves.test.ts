import { hash } from 'node:crypto'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sql } from '../../../platform/storage/database.ts'
import { approve, draft, proposeEdit, publish } from '../authoring/drafts.fixture.ts'
import { VERIFICATION_KINDS, type VerificationKind } from '../bundle/bundle-vocabulary.ts'
import type { FlowBundle } from '../bundle/flow-record.ts'
import { type Ask, type FlowHub, OPEN_POLICY, openFlowHub } from '../flow-hub.fixture.ts'

let hub: FlowHub
beforeAll(async () => void (hub = await openFlowHub()))
afterAll(() => hub.close())

const STARTER: Ask = { as: 'admin/agent', surface: 'mcp' }

interface Step {
  kind: VerificationKind
  evidence_required: boolean
}
const anyStep = fc.record({
  kind: fc.oneof(fc.constantFrom('human_review', 'artifact_exists'), fc.constantFrom(...VERIFICATION_KINDS)),
  evidence_required: fc.boolean(),
})

const ADVANCES = ['in_progress', 'blocked', 'done', 'skipped'] as const
const OUTCOMES = ['pass', 'fail', 'needs_changes'] as const
/** What is asked for is mostly about the step that the run is at, and now and then about its neighbour. */
const anyAct = fc.record({
  act: fc.constantFrom('advance', 'advance', 'evidence', 'review', 'review'),
  off: fc.constantFrom(0, 0, 0, 0, 1, -1),
  to_status: fc.constantFrom(...ADVANCES),
  reason: fc.constantFrom('right', 'right', 'right', 'wrong'),
  ref: fc.constantFrom('a', 'b'),
  outcome: fc.constantFrom(...OUTCOMES),
  how: fc.constantFrom<Ask>({}, { surface: 'mcp' }, { as: 'evaluator' }, STARTER),
})
type Act = typeof anyAct extends fc.Arbitrary<infer Value> ? Value : never

interface KnownStep extends Step {
  status: string
  evidence_ref: string | null
  verified: boolean
}

/** What a run is after so many moves, told by the rules alone. */
interface Known {
  steps: KnownStep[]
}
const isOver = ({ status }: KnownStep) => status === 'done' || status === 'skipped'
function statusOf({ steps }: Known): string {
  if (steps.every(isOver)) return 'done'
  return steps.some(({ status }) => status === 'blocked') ? 'blocked' : 'in_progress'
}

/** Moves what is known and answers the code that the hub is to answer; nothing where it is to be done. */
function expectAct(known: Known, ordinal: number, { act, to_status, reason, ref, outcome, how }: Act) {
  if (act === 'advance' && reason === 'wrong') return 'BAD_REQUEST'
  const at = known.steps.findIndex((step) => !isOver(step))
  const step = known.steps[at]
  if (!step) return 'FLOW_RUN_NOT_IN_PROGRESS'
  if (at + 1 !== ordinal) return 'FLOW_STEP_OUT_OF_ORDER'
  if (act === 'advance') {
    if (to_status === 'done' && step.evidence_required && !step.verified)
      return 'FLOW_VERIFICATION_UNSATISFIED'
    step.status = to_status
  } else if (act === 'evidence') {
    if (step.kind !== 'human_review' && step.kind !== 'artifact_exists')
      return 'FLOW_VERIFICATION_UNSATISFIED'
    const evidence_ref = `hash:${ref}`
    step.verified = step.kind === 'artifact_exists' || (step.verified && step.evidence_ref === evidence_ref)
    step.evidence_ref = evidence_ref
  } else {
    if (step.kind !== 'human_review') return 'FLOW_VERIFICATION_UNSATISFIED'
    if (outcome === 'pass' && how === STARTER) return 'FLOW_SELF_APPROVAL_DENIED'
    step.verified = outcome === 'pass'
  }
  return null
}

function ask(place: object, { act, to_status, reason, ref, outcome, how }: Act) {
  // Rightly there is a reason for what is skipped, and for nothing else.
  const hasReason = (to_status === 'skipped') === (reason === 'right')
  const why = hasReason ? { skip_reason: 'policy' } : {}
  if (act === 'advance') return hub.ask('flow_run_advance', { ...place, to_status, ...why })
  if (act === 'evidence') return hub.ask('flow_run_evidence', { ...place, pointer_kind: 'hash', ref })
  return hub.ask('flow_run_submit_review', { ...place, outcome }, how)
}

let flows = 0
async function publishSteps(wanted: readonly Step[]): Promise<FlowBundle> {
  const { flow, steps } = draft({ flow_id: `flow_m${++flows}`, step_count: wanted.length })
  const verified = steps.map((step, at) => ({
    ...step,
    verification: { ...step.verification, ...(wanted[at] as Step) },
  }))
  return publish(hub, { flow, steps: verified })
}

test('whatever is asked of a run, it moves as the rules say, and otherwise not at all', async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyStep, { minLength: 1, maxLength: 3 }),
      fc.array(anyAct, { minLength: 5, maxLength: 30 }),
      async (wanted, acts) => {
        const { flow_id } = (await publishSteps(wanted)).flow
        const { run_id } = (await hub.ask('flow_run_start', { flow_id }, STARTER)).body.run
        const known: Known = {
          steps: wanted.map((step) => ({ ...step, status: 'pending', evidence_ref: null, verified: false })),
        }
        for (const act of acts) {
          const at = known.steps.findIndex((step) => !isOver(step))
          const ordinal = Math.max(1, Math.min(wanted.length, (at < 0 ? wanted.length : at + 1) + act.off))
          const code = expectAct(known, ordinal, act)
          const said = await ask({ flow_id, run_id, step_id: `${flow_id}#${ordinal}` }, act)
          expect([act, said.code]).toEqual([act, code])
          const { run } = (await hub.ask('flow_run_get', { flow_id, run_id })).body
          if (code === null) expect(said.body.run).toEqual(run)
          const { step_states, status } = run
          expect(step_states).toEqual(
            known.steps.map(({ status: step_status, evidence_ref, verified }, index) => ({
              step_id: `${flow_id}#${index + 1}`,
              status: step_status,
              evidence_ref,
              verified,
            })),
          )
          expect(status).toBe(statusOf(known))
          seen.add(code ?? status)
        }
      },
    ),
    { numRuns: 120 },
  )
  // Nothing of it was left to chance.
  expect([...seen].toSorted()).toEqual(
    `BAD_REQUEST FLOW_RUN_NOT_IN_PROGRESS FLOW_SELF_APPROVAL_DENIED FLOW_STEP_OUT_OF_ORDER
     FLOW_VERIFICATION_UNSATISFIED blocked done in_progress`.split(/\s+/),
  )
}, 120_000)

describe('a run that is started', () => {
  test('is of the version that was asked for, and of no other', async () => {
    const base = await publish(hub, draft({ flow_id: 'flow_two' }))
    const next = draft({ flow_id: 'flow_two', version: '1.1.0', step_count: 2 })
    expect((await approve(hub, await proposeEdit(hub, base, next))).status).toBe(200)
    const startOf = async (more: object) =>
      (await hub.ask('flow_run_start', { flow_id: 'flow_two', ...more })).body
    expect((await startOf({ version: '1.0.0' })).run).toMatchObject({
      flow_version: '1.0.0',
      step_states: [{ step_id: 'flow_two#1' }],
    })
    expect((await startOf({})).run).toMatchObject({
      flow_version: '1.1.0',
      step_states: [{ step_id: 'flow_two#1' }, { step_id: 'flow_two#2' }],
    })
    const started = await hub.ask('flow_run_start', { flow_id: 'flow_two', version: '9.9.9' })
    expect([started.status, started.code]).toEqual([404, 'unknown_flow'])
    expect((await hub.ask('flow_run_start', { flow_id: 'flow_two', version: '1.1' })).code).toBe(
      'BAD_REQUEST',
    )
  })

  test('tells by whom it was only as a hash of the credential and the vault', async () => {
    await publish(hub, draft({ flow_id: 'flow_whose' }))
    const { run } = (await hub.ask('flow_run_start', { flow_id: 'flow_whose' }, { as: 'editor/ann' })).body
    expect(run.provenance).toEqual({ actor: hash('sha256', 'token:tok_ann|default'), harness: 'test' })
  })

  test('is listed in its own vault alone, and none of the same moment is lost between pages', async () => {
    const flow_id = 'flow_listed'
    hub.setPolicy(OPEN_POLICY, 'other')
    for (const vault of ['default', 'other']) await publish(hub, draft({ flow_id }), { vault })
    const ids = { default: new Set<string>(), other: new Set<string>() }
    for (const vault of ['default', 'other', 'default', 'default'] as const)
      ids[vault].add((await hub.ask('flow_run_start', { flow_id }, { vault })).body.run.run_id)
    const sameMoment = sql(`UPDATE flow_runs SET started = '2026-11-15T09:00:00.000Z' WHERE flow_id = ?`)
    await hub.hub.db.transaction((tx) => tx.run(sameMoment, flow_id))
    for (const vault of ['default', 'other'] as const) {
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const page: { cursor?: string } = cursor === null ? {} : { cursor }
        const { body } = await hub.ask('flow_run_list', { flow_id, limit: 1, ...page }, { vault })
        seen.push(...body.runs.map((run: { run_id: string }) => run.run_id))
        cursor = body.next_cursor
      } while (cursor !== null)
      expect(seen).toHaveLength(ids[vault].size)
      expect(new Set(seen)).toEqual(ids[vault])
    }
  })

  test('is not read from a store that was changed by others', async () => {
    const { flow_id } = (await publish(hub, draft({ flow_id: 'flow_spoilt' }))).flow
    const { run_id } = (await hub.ask('flow_run_start', { flow_id })).body.run
    const stepsOf = sql<{ steps_json: string }>('SELECT steps_json FROM flow_runs WHERE run_id = ?')
    const spoil = sql(`UPDATE flow_runs SET steps_json = ? WHERE run_id = ?`)
    const { steps_json } = (await hub.hub.db.get(stepsOf, run_id)) as { steps_json: string }
    const unknownKind = steps_json.replace('"human_review"', '"anything"')
    expect(unknownKind).not.toBe(steps_json)
    for (const steps of ['{', '{}', unknownKind]) {
      await hub.hub.db.transaction((tx) => tx.run(spoil, steps, run_id))
      expect((await hub.ask('flow_run_get', { flow_id, run_id })).code).toBe('RUNTIME_ERROR')
    }
  })
})
