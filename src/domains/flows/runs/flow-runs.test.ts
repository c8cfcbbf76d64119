import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements/verifies.ts'
import { freshPostgresUrl } from '../../../../test/store/postgres-server.ts'
import { draft, publish, uses } from '../authoring/drafts.fixture.ts'
import type { VerificationKind } from '../bundle/bundle-vocabulary.ts'
import type { FlowBundle } from '../bundle/flow-record.ts'
import { type Ask, type FlowHub, OPEN_POLICY, openFlowHub, type Said } from '../flow-hub.fixture.ts'

let hub: FlowHub
beforeEach(async () => void (hub = await openFlowHub()))
afterEach(() => hub.close())

const flow_id = 'flow_own'

/** A flow with one step for each kind of verification named. */
function flowOf(...kinds: VerificationKind[]): FlowBundle {
  const { flow, steps } = draft({ step_count: kinds.length, step: uses('web_search') })
  const verified = steps.map((step, at) => ({
    ...step,
    verification: { ...step.verification, kind: kinds[at] as VerificationKind },
  }))
  return { flow, steps: verified }
}

async function start(bundle: FlowBundle, how?: Ask): Promise<string> {
  await publish(hub, bundle)
  return (await hub.ask('flow_run_start', { flow_id }, how)).body.run.run_id
}

/** Asks for something about the n-th step of a run. */
function onStep(name: string, run_id: string, ordinal: number, more: object, how?: Ask): Promise<Said> {
  return hub.ask(name, { flow_id, run_id, step_id: `${flow_id}#${ordinal}`, ...more }, how)
}
const advance = (run_id: string, ordinal: number, to_status: string, more: object = {}) =>
  onStep('flow_run_advance', run_id, ordinal, { to_status, ...more })
const evidence = (run_id: string, ordinal: number, ref = 'out/report.md') =>
  onStep('flow_run_evidence', run_id, ordinal, { pointer_kind: 'artifact', ref })
const review = (run_id: string, ordinal: number, outcome: string, how?: Ask) =>
  onStep('flow_run_submit_review', run_id, ordinal, { outcome }, how)

const execute = (run_id: string, how?: Ask, more: object = {}) =>
  onStep('flow_run_execute', run_id, 1, more, how)

describe('a run', () => {
  test('is pinned to a version and starts with every step pending', async () => {
    await publish(hub, flowOf('human_review', 'artifact_exists'))
    const input = { flow_id, harness: 'cursor_rule', task_ref: 'task:7', external_ref: 'x' }
    const started = await hub.ask('flow_run_start', input, { as: 'editor' })
    expect(started.status).toBe(201)
    const { run } = started.body
    expect(started.body).toEqual({ schema: 'knowtation.flow_run_start/v0', vault_id: 'default', run })
    expect(run).toEqual({
      schema: 'knowtation.flow_run/v0',
      run_id: expect.stringMatching(/^run_[a-z0-9_]{1,48}$/),
      run_ref: `flow_run:${run.run_id}`,
      flow_id,
      flow_version: '1.0.0',
      scope: 'personal',
      status: 'in_progress',
      step_states: [1, 2].map((ordinal) => ({
        step_id: `flow_own#${ordinal}`,
        status: 'pending',
        evidence_ref: null,
        verified: false,
      })),
      started: expect.any(String),
      provenance: { actor: expect.stringMatching(/^[0-9a-f]{64}$/), harness: 'cursor_rule' },
      task_ref: 'task:7',
      external_ref: 'x',
    })
    const read = await hub.ask('flow_run_get', { flow_id, run_id: run.run_id }, { as: 'viewer' })
    expect(read.body).toEqual({ schema: 'knowtation.flow_run_get/v0', vault_id: 'default', run })
    const record = (await hub.records()).find(({ operation }) => operation === 'flow_run_start')
    expect(record).toMatchObject({ target_kind: 'run', target_id: run.run_id })
  })

  test('goes step by step, and ends when the last one has', async () => {
    const run_id = await start(flowOf('artifact_exists', 'human_review', 'artifact_exists'))
    const early = { status: 409, code: 'FLOW_STEP_OUT_OF_ORDER' }
    expect(await advance(run_id, 2, 'in_progress')).toMatchObject(early)
    expect(await evidence(run_id, 3)).toMatchObject(early)
    expect((await advance(run_id, 1, 'in_progress')).body.run.status).toBe('in_progress')
    expect((await advance(run_id, 1, 'blocked')).body.run.status).toBe('blocked')
    expect(await advance(run_id, 1, 'done')).toMatchObject({
      status: 403,
      code: 'FLOW_VERIFICATION_UNSATISFIED',
    })
    const held = (await evidence(run_id, 1)).body.run.step_states[0]
    expect(held).toMatchObject({ evidence_ref: 'artifact:out/report.md', verified: true })
    expect((await advance(run_id, 1, 'done')).status).toBe(200)
    expect(await advance(run_id, 1, 'in_progress')).toMatchObject(early)
    await review(run_id, 2, 'pass', { as: 'evaluator' })
    await advance(run_id, 2, 'done')
    expect((await advance(run_id, 3, 'skipped')).code).toBe('BAD_REQUEST')
    expect((await advance(run_id, 3, 'done', { skip_reason: 'policy' })).code).toBe('BAD_REQUEST')
    const ended = await advance(run_id, 3, 'skipped', { skip_reason: 'not_applicable' })
    expect(ended.body.run).toMatchObject({ status: 'done' })
    const over = { status: 409, code: 'FLOW_RUN_NOT_IN_PROGRESS' }
    expect(await advance(run_id, 3, 'in_progress')).toMatchObject(over)
    expect(await evidence(run_id, 3)).toMatchObject(over)
    expect(await review(run_id, 3, 'pass')).toMatchObject(over)
  })

  test('takes pointers to evidence, not the evidence', async () => {
    const run_id = await start(flowOf('artifact_exists'))
    for (const ref of ['', 'a b', 'line\nline', 'x'.repeat(257), '{"body":1}']) {
      expect((await evidence(run_id, 1, ref)).code, ref).toBe('BAD_REQUEST')
    }
  })

  test('is unknown to whoever cannot see it, like one that is missing', async () => {
    await publish(hub, draft({ scope: 'org' }))
    const { run_id } = (await hub.ask('flow_run_start', { flow_id })).body.run
    const get = (id: string, how: Ask) => hub.ask('flow_run_get', { flow_id, run_id: id }, how)
    const hidden = await get(run_id, { as: 'viewer' })
    expect(hidden).toMatchObject({ status: 404, code: 'unknown_run' })
    expect((await get('run_nope', { as: 'viewer' })).text).toBe(hidden.text)
    expect((await get(run_id, { vault: 'other' })).text).toBe(hidden.text)
    expect((await hub.ask('flow_run_get', { flow_id: 'flow_other', run_id })).code).toBe('unknown_run')
    expect((await hub.ask('flow_run_list', { flow_id }, { as: 'viewer' })).body.runs).toEqual([])
    expect((await hub.ask('flow_run_start', { flow_id }, { as: 'editor' })).code).toBe('unknown_flow')
  })

  test('is moved by writers only, and only while runs are on', async () => {
    const run_id = await start(flowOf('artifact_exists'))
    for (const as of ['viewer', 'evaluator']) {
      expect((await hub.ask('flow_run_start', { flow_id }, { as })).code).toBe('FORBIDDEN')
      const moved = await onStep('flow_run_advance', run_id, 1, { to_status: 'blocked' }, { as })
      expect(moved.code).toBe('FORBIDDEN')
    }
    hub.setPolicy({})
    for (const name of [
      'flow_run_start',
      'flow_run_advance',
      'flow_run_evidence',
      'flow_run_submit_review',
    ]) {
      expect(await hub.ask(name, {})).toMatchObject({ status: 403, code: 'FLOW_RUN_WRITES_DISABLED' })
    }
    expect((await hub.ask('flow_run_get', { flow_id, run_id })).status).toBe(200)
  })

  test('is listed newest first, in pages', async () => {
    await publish(hub, draft())
    const ids: string[] = []
    for (let at = 0; at < 5; at++) ids.unshift((await hub.ask('flow_run_start', { flow_id })).body.run.run_id)
    const first = (await hub.ask('flow_run_list', { flow_id, limit: 3 })).body
    const rest = (await hub.ask('flow_run_list', { flow_id, limit: 3, cursor: first.next_cursor })).body
    expect([...first.runs, ...rest.runs].map((run: { run_id: string }) => run.run_id)).toEqual(ids)
    expect(rest).toMatchObject({ schema: 'knowtation.flow_run_list/v0', next_cursor: null })
  })

  test('is listed with fifty others unless a number is named, and with two hundred at most', async () => {
    await publish(hub, draft())
    for (let at = 0; at < 51; at++) await hub.ask('flow_run_start', { flow_id })
    const list = async (more: object = {}) => (await hub.ask('flow_run_list', { flow_id, ...more })).body
    const [usual, all] = [await list(), await list({ limit: 200 })]
    expect([usual.runs.length, all.runs.length, all.next_cursor]).toEqual([50, 51, null])
    expect((await list({ cursor: usual.next_cursor })).runs).toEqual(all.runs.slice(50))
    for (const limit of [0, 201]) expect((await list({ limit })).code).toBe('BAD_REQUEST')
  })
})

describe('verification', () => {
  verifies('FLOW-003', 'only a review or an artifact verifies a step; the other kinds never do', async () => {
    const unsatisfied = { status: 403, code: 'FLOW_VERIFICATION_UNSATISFIED' }
    for (const kind of ['value_match', 'test_pass', 'agent_check'] as const) {
      const id = `flow_${kind}`
      const { flow, steps } = draft({
        flow_id: id,
        step: { verification: { kind, evidence_required: true, description: 'x' } },
      })
      await publish(hub, { flow, steps })
      const { run_id } = (await hub.ask('flow_run_start', { flow_id: id })).body.run
      const place = { flow_id: id, run_id, step_id: `${id}#1` }
      const pointer = { pointer_kind: 'test_result', ref: 'build-7' }
      expect(await hub.ask('flow_run_evidence', { ...place, ...pointer })).toMatchObject(unsatisfied)
      expect(await hub.ask('flow_run_submit_review', { ...place, outcome: 'pass' })).toMatchObject(
        unsatisfied,
      )
      expect(await hub.ask('flow_run_advance', { ...place, to_status: 'done' })).toMatchObject(unsatisfied)
      const { run } = (await hub.ask('flow_run_get', { flow_id: id, run_id })).body
      expect(run.step_states[0]).toMatchObject({ verified: false, evidence_ref: null })
      expect((await hub.ask('flow_get', { flow_id: id })).body.steps[0].verification.kind).toBe(kind)
    }
    const run_id = await start(flowOf('artifact_exists', 'human_review'))
    expect((await evidence(run_id, 1)).body.run.step_states[0].verified).toBe(true)
    await advance(run_id, 1, 'done')
    expect((await evidence(run_id, 2)).body.run.step_states[1].verified).toBe(false)
    expect(await advance(run_id, 2, 'done')).toMatchObject(unsatisfied)
    expect((await review(run_id, 2, 'pass', { as: 'evaluator' })).body.run.step_states[1].verified).toBe(true)
  })

  test('a review is for evaluators and admins, of what it saw, and over MCP not of their own run', async () => {
    const run_id = await start(flowOf('human_review'), { as: 'admin/agent', surface: 'mcp' })
    expect((await review(run_id, 1, 'pass', { as: 'editor' })).code).toBe('FORBIDDEN')
    const own = await review(run_id, 1, 'pass', { as: 'admin/agent', surface: 'mcp' })
    expect(own.code).toBe('FLOW_SELF_APPROVAL_DENIED')
    expect((await review(run_id, 1, 'fail')).body.run.step_states[0].verified).toBe(false)
    expect((await review(run_id, 1, 'pass')).body.run.step_states[0].verified).toBe(true)
    expect((await evidence(run_id, 1, 'other')).body.run.step_states[0].verified).toBe(false)
    await review(run_id, 1, 'pass')
    expect((await evidence(run_id, 1, 'other')).body.run.step_states[0].verified).toBe(true)
  })
})

describe('executing a step', () => {
  verifies('GATE-144', 'stays off whatever the external-agent gate says', async () => {
    const run_id = await start(draft({ step: { automatable: 'automatable' } }))
    for (const enabled of [false, true]) {
      hub.setPolicy({ ...OPEN_POLICY, external_agent: { enabled } })
      expect(await execute(run_id)).toMatchObject({
        status: 403,
        code: 'FLOW_AUTOMATABLE_EXECUTION_DISABLED',
      })
    }
    // Its own switch counts only together with the one for runs.
    hub.setPolicy({ flow_runs: { automatable_execution_enabled: true } })
    expect((await execute(run_id)).code).toBe('FLOW_AUTOMATABLE_EXECUTION_DISABLED')
    hub.setPolicy({ flow_runs: { execution_forbidden: true } })
    expect((await execute(run_id)).code).toBe('FLOW_EXECUTION_POLICY_FORBIDDEN')
  })

  verifies('FLOW-071', 'needs a consent, and the bearer of a grant is none', async () => {
    const run_id = await start(draft({ step: { automatable: 'automatable' } }))
    hub.setPolicy({ flow_runs: { writes_enabled: true, automatable_execution_enabled: true } })
    const required = { status: 403, code: 'FLOW_EXECUTION_CONSENT_REQUIRED' }
    const presented = { external_bearer: `fgrnt_bearer_${'0'.repeat(64)}`, grant_id: 'fgrnt_00000000' }
    expect(await execute(run_id)).toMatchObject(required)
    expect(await execute(run_id, { presented })).toMatchObject(required)
    expect(await execute(run_id, {}, { consent_id: 'fcons_00000000' })).toMatchObject(required)
    const { run } = (await hub.ask('flow_run_get', { flow_id, run_id })).body
    expect(run.step_states[0].status).toBe('pending')
  })
})

describe('at once', () => {
  test.for([
    ['SQLite', async (): Promise<string | undefined> => undefined],
    ['PostgreSQL', freshPostgresUrl],
  ] as const)('two that move one step on %s do not both do so', async ([, findUrl]) => {
    await hub.close()
    hub = await openFlowHub(await findUrl())
    const run_id = await start(flowOf('artifact_exists', 'artifact_exists'))
    const skips = Array.from(
      { length: 6 },
      () => () => advance(run_id, 1, 'skipped', { skip_reason: 'policy' }),
    )
    const codes = (await hub.atOnce(skips)).map(({ code }) => code)
    expect(codes.filter((code) => code === null)).toHaveLength(1)
    expect(codes.filter((code) => code === 'FLOW_STEP_OUT_OF_ORDER')).toHaveLength(5)
  })
})
