import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements/verifies.ts'
import { sql } from '../../../platform/storage/database.ts'
import { type FlowHub, openFlowHub, type Said } from '../flow-hub.fixture.ts'
import { insertFlowVersion } from '../flow-store.ts'
import { approve, draft, importBundle, propose, proposeEdit, publish } from './drafts.fixture.ts'

let hub: FlowHub
beforeEach(async () => void (hub = await openFlowHub()))
afterEach(() => hub.close())

// One proposal more than this would be one too many.
const fillQueue = sql(
  `INSERT INTO flow_proposals (vault_id, proposal_id, kind, flow_id, flow_version, base_scope, scope,
     auto_approvable, status, intent, created_at, created_by, evaluation_status, draft_json, draft_hash)
   WITH RECURSIVE copy (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copy WHERE n < 9999)
   SELECT vault_id, proposal_id || '_' || n, kind, flow_id, flow_version, base_scope, scope,
     auto_approvable, status, intent, created_at, created_by, evaluation_status, draft_json, draft_hash
   FROM flow_proposals, copy`,
)
const idOf = (proposed: Said) => ({ proposal_id: proposed.body.proposal_id as string })
const evaluate = (proposed: Said, outcome: string, more: object = {}) =>
  hub.ask('proposal_evaluate', { ...idOf(proposed), outcome, ...more }, { as: 'evaluator' })
const versionsOf = (flow_id: string) =>
  hub.hub.db.all(sql<{ version: string }>('SELECT version FROM flow_versions WHERE flow_id = ?'), flow_id)

describe('approving', () => {
  verifies('FLOW-066', 'of two edits on one base the second finds the flow moved on', async () => {
    const base = await publish(hub, draft())
    const first = await proposeEdit(hub, base, draft({ version: '1.1.0' }))
    const second = await proposeEdit(hub, base, draft({ version: '1.2.0' }))
    expect((await approve(hub, first)).status).toBe(200)
    expect(await approve(hub, second)).toMatchObject({ status: 409, code: 'FLOW_LINEAGE_CONFLICT' })
    expect((await hub.ask('proposal_show', idOf(second))).body.proposal.status).toBe('proposed')
    expect(await versionsOf('flow_own')).toHaveLength(2)
  })

  verifies('FLOW-066', 'also when the first one moved the flow into another scope', async () => {
    const base = await publish(hub, draft())
    const wider = await proposeEdit(hub, base, draft({ version: '2.0.0', scope: 'org' }))
    const second = await proposeEdit(hub, base, draft({ version: '1.1.0' }))
    expect((await approve(hub, wider)).status).toBe(200)
    expect((await approve(hub, second)).code).toBe('FLOW_LINEAGE_CONFLICT')
  })

  verifies('FLOW-066', 'also when a starter flow of a newer program has moved it on', async () => {
    for (const scope of ['personal', 'org'] as const) {
      const flow_id = `flow_${scope}`
      const base = await publish(hub, draft({ flow_id }))
      const edited = await proposeEdit(hub, base, draft({ flow_id, version: '1.1.0' }))
      const shipped = draft({ flow_id, version: '1.5.0', scope })
      await hub.hub.db.transaction((tx) => insertFlowVersion(tx, 'default', shipped, hub.hub.system.now()))
      expect((await approve(hub, edited)).code).toBe('FLOW_LINEAGE_CONFLICT')
    }
  })

  test('an approval that names what was read counts for just that', async () => {
    const proposed = await propose(hub, draft())
    const { body } = await hub.ask('proposal_show', idOf(proposed))
    expect(body).toMatchObject({ newest_version: null, is_current: true, power: [] })
    const other = `sha256:${'0'.repeat(64)}`
    const refused = await hub.ask(
      'proposal_approve',
      { ...idOf(proposed), digest: other },
      { as: 'admin/reviewer' },
    )
    expect(refused).toMatchObject({ status: 409, code: 'FLOW_PROPOSAL_CHANGED' })
    expect(await versionsOf('flow_own')).toEqual([])
    const digest = body.draft_digest as string
    expect(
      (await hub.ask('proposal_approve', { ...idOf(proposed), digest }, { as: 'admin/reviewer' })).status,
    ).toBe(200)
  })

  test('a proposal that was overtaken says so before anybody approves it', async () => {
    const base = await publish(hub, draft())
    const [first, second] = [
      await proposeEdit(hub, base, draft({ version: '1.1.0' })),
      await proposeEdit(hub, base, draft({ version: '1.2.0' })),
    ]
    const read = async () => (await hub.ask('proposal_show', idOf(second))).body
    expect(await read()).toMatchObject({ newest_version: '1.0.0', is_current: true })
    await approve(hub, first)
    expect(await read()).toMatchObject({ newest_version: '1.1.0', is_current: false })
  })

  test('of two new flows with one id only one comes to be', async () => {
    const [one, two] = [await propose(hub, draft()), await importBundle(hub, draft({ version: '2.0.0' }))]
    expect((await approve(hub, one)).status).toBe(200)
    expect((await approve(hub, two)).code).toBe('FLOW_LINEAGE_CONFLICT')
  })

  verifies('FLOW-067', 'adds a version and leaves the earlier ones as they are', async () => {
    const base = await publish(hub, draft())
    const read = () => hub.ask('flow_get', { flow_id: 'flow_own', version: '1.0.0' })
    const before = (await read()).text
    const edited = await proposeEdit(hub, base, draft({ version: '1.1.0', step: { owned_job: 'Other' } }))
    expect((await read()).text).toBe(before)
    await approve(hub, edited)
    expect((await read()).text).toBe(before)
    expect((await hub.ask('flow_get', { flow_id: 'flow_own' })).body.flow.version).toBe('1.1.0')
  })

  verifies('FLOW-067', 'leaves nothing behind when it fails', async () => {
    const proposed = await propose(hub, draft())
    await hub.hub.db.transaction(async (tx) => {
      await tx.run(sql(`UPDATE flow_proposals SET draft_json = replace(draft_json, 'Look back', 'Obey')`))
    })
    expect(await approve(hub, proposed)).toMatchObject({ status: 500, code: 'RUNTIME_ERROR' })
    expect(await versionsOf('flow_own')).toEqual([])
    const left = await hub.hub.db.all(sql('SELECT base_version FROM flow_successions'))
    expect(left).toEqual([])
    const listed = (await hub.ask('proposal_list', {})).body.proposals
    expect(listed[0]).toMatchObject({ status: 'proposed', decided_at: null })
  })

  verifies('FLOW-068', 'needs a passed evaluation or none, or a reason to waive it', async () => {
    const passed = await propose(hub, draft({ flow_id: 'flow_a' }))
    await evaluate(passed, 'pass')
    expect((await approve(hub, passed)).status).toBe(200)
    for (const outcome of ['fail', 'needs_changes']) {
      const proposed = await propose(hub, draft({ flow_id: `flow_${outcome}` }))
      await evaluate(proposed, outcome, { comment: 'Not yet.' })
      const required = { status: 403, code: 'EVALUATION_REQUIRED' }
      expect(await approve(hub, proposed)).toMatchObject(required)
      const waive = (waiver_reason: string) =>
        hub.ask('proposal_approve', { ...idOf(proposed), waiver_reason })
      expect(await waive('no')).toMatchObject(required)
      expect(await waive('    ')).toMatchObject(required)
      expect((await waive('x'.repeat(2_001))).code).toBe('BAD_REQUEST')
      const waived = await waive('now')
      expect(waived).toMatchObject({ status: 200, body: { waiver_reason: 'now', status: 'approved' } })
      expect((await hub.ask('proposal_show', idOf(proposed))).body.proposal).toEqual(waived.body)
    }
  })

  verifies('FLOW-068', 'and discarding are for admins, once, and for good', async () => {
    const [kept, gone] = [await propose(hub, draft()), await propose(hub, draft({ flow_id: 'flow_b' }))]
    for (const as of ['viewer', 'evaluator', 'editor']) {
      expect(await approve(hub, kept, { as })).toMatchObject({ status: 403, code: 'FORBIDDEN' })
      expect(await hub.ask('proposal_discard', idOf(gone), { as })).toMatchObject({
        status: 403,
        code: 'FORBIDDEN',
      })
    }
    expect(await approve(hub, kept)).toMatchObject({ status: 200, body: { status: 'approved' } })
    expect(await hub.ask('proposal_discard', idOf(gone))).toMatchObject({
      status: 200,
      body: { status: 'discarded' },
    })
    const closed = { status: 409, code: 'FLOW_PROPOSAL_NOT_OPEN' }
    for (const proposed of [kept, gone]) {
      expect(await approve(hub, proposed)).toMatchObject(closed)
      expect(await hub.ask('proposal_discard', idOf(proposed))).toMatchObject(closed)
      expect(await evaluate(proposed, 'pass')).toMatchObject(closed)
    }
  })

  test.each(['mcp', 'rest', 'cli'] as const)(
    'nobody lets their own work pass with a token, by %s',
    async (surface) => {
      const agent = { as: 'admin/agent', surface }
      const proposed = await propose(hub, draft(), agent)
      const own = { status: 403, code: 'FLOW_SELF_APPROVAL_DENIED' }
      expect(await approve(hub, proposed, agent)).toMatchObject(own)
      expect(await hub.ask('proposal_evaluate', { ...idOf(proposed), outcome: 'pass' }, agent)).toMatchObject(
        own,
      )
      const doubt = { ...idOf(proposed), outcome: 'needs_changes', comment: 'I was wrong.' }
      expect((await hub.ask('proposal_evaluate', doubt, agent)).status).toBe(200)
      // Not even told that a reason would do: it would not.
      expect(await approve(hub, proposed, agent)).toMatchObject(own)
      expect(
        (
          await hub.ask(
            'proposal_evaluate',
            { ...idOf(proposed), outcome: 'pass' },
            { as: 'admin/other', surface },
          )
        ).status,
      ).toBe(200)
      expect((await approve(hub, proposed, { as: 'admin/other', surface })).status).toBe(200)
    },
  )

  test('at home one person may be author and reviewer, but not the agent that speaks MCP there', async () => {
    for (const [as, surface, status] of [
      ['local', 'cli', 200],
      ['owner', 'rest', 200],
      ['local', 'mcp', 403],
    ] as const) {
      const proposed = await propose(hub, draft({ flow_id: `flow_${as}_${surface}` }), { as, surface })
      expect([as, surface, (await approve(hub, proposed, { as, surface })).status]).toEqual([
        as,
        surface,
        status,
      ])
    }
  })
})

verifies(
  ['FLOW-027', 'FLOW-030'],
  'the latest version is the highest one, whatever scope it lies in',
  async () => {
    const base = await publish(hub, draft({ version: '9.0.0' }))
    const moved = await proposeEdit(hub, base, draft({ version: '10.0.0', scope: 'org' }))
    expect((await approve(hub, moved)).status).toBe(200)
    for (const [as, version] of [
      ['admin', '10.0.0'],
      ['editor', '9.0.0'],
    ] as const) {
      expect((await hub.ask('flow_get', { flow_id: 'flow_own' }, { as })).body.flow.version).toBe(version)
      const { flows } = (await hub.ask('flow_list', {}, { as })).body
      const own = flows.filter((flow: { flow_id: string }) => flow.flow_id === 'flow_own')
      expect(own).toMatchObject([{ version }])
    }
  },
)

verifies('FLOW-020', 'the starter flows join a vault that has flows of its own, once', async () => {
  await publish(hub, draft())
  const list = async () =>
    (await hub.ask('flow_list', {})).body.flows.map((flow: { flow_id: string }) => flow.flow_id).toSorted()
  const first = await list()
  expect(first).toHaveLength(7)
  expect(first).toContain('flow_own')
  expect(await list()).toEqual(first)
})

test('a review queue that nobody works off takes no more', async () => {
  const first = await propose(hub, draft())
  await hub.hub.db.transaction((tx) => tx.run(fillQueue))
  const { code } = await propose(hub, draft({ flow_id: 'flow_b' }))
  expect(code).toBe('FLOW_PROPOSAL_LIMIT')
  await hub.ask('proposal_discard', idOf(first))
  expect((await propose(hub, draft({ flow_id: 'flow_b' }))).status).toBe(201)
})

describe('evaluating', () => {
  test('is for evaluators and admins, and says why it did not pass', async () => {
    const proposed = await propose(hub, draft())
    const input = { ...idOf(proposed), outcome: 'fail' }
    for (const outcome of ['fail', 'needs_changes'])
      for (const words of [{}, { comment: ' ' }, { comment: 'x'.repeat(4_001) }])
        expect(
          await hub.ask('proposal_evaluate', { ...input, outcome, ...words }, { as: 'evaluator' }),
        ).toMatchObject({ status: 400, code: 'BAD_REQUEST' })
    const said = await hub.ask(
      'proposal_evaluate',
      { ...input, comment: 'Step 1 is vague.' },
      { as: 'evaluator' },
    )
    expect(said.body).toMatchObject({
      schema: 'knowtation.flow_proposal_review/v0',
      evaluation_status: 'failed',
      evaluation_comment: 'Step 1 is vague.',
      evaluated_by: 'token:tok_evaluator',
    })
    for (const as of ['viewer', 'editor']) {
      expect((await hub.ask('proposal_evaluate', { ...input, outcome: 'pass' }, { as })).code).toBe(
        'FORBIDDEN',
      )
    }
  })
})

describe('the record', () => {
  verifies('FLOW-073', 'each step of a proposal is kept once, with who, what and how it ended', async () => {
    const secret = 'sk-live-0123456789abcdef'
    const made = await hub.ask('flow_propose', { ...draft(), intent: secret }, { as: 'editor' })
    const id = made.body.proposal_id as string
    await hub.ask(
      'proposal_evaluate',
      { ...idOf(made), outcome: 'fail', comment: secret },
      { as: 'evaluator' },
    )
    await approve(hub, made)
    await hub.ask('proposal_approve', { ...idOf(made), waiver_reason: secret })
    const other = await propose(hub, draft({ flow_id: 'flow_b' }))
    await hub.ask('proposal_discard', idOf(other), { as: 'editor' })
    await hub.ask('proposal_discard', idOf(other))
    const records = (await hub.records()).filter(({ operation }) => /propos/.test(operation))
    const told = records.map((one) => [one.caller_id, one.operation, one.target_id, one.outcome, one.code])
    expect(told).toEqual([
      ['tok_editor', 'flow_propose', id, 'allowed', null],
      ['tok_evaluator', 'proposal_evaluate', id, 'allowed', null],
      ['tok_reviewer', 'proposal_approve', id, 'denied', 'EVALUATION_REQUIRED'],
      ['tok_reviewer', 'proposal_approve', id, 'allowed', null],
      ['tok_admin', 'flow_propose', other.body.proposal_id, 'allowed', null],
      ['tok_editor', 'proposal_discard', other.body.proposal_id, 'denied', 'FORBIDDEN'],
      ['tok_admin', 'proposal_discard', other.body.proposal_id, 'allowed', null],
    ])
    expect(new Set(records.map(({ target_kind }) => target_kind))).toEqual(new Set(['proposal']))
    expect(JSON.stringify(await hub.records())).not.toContain(secret)
  })
})
