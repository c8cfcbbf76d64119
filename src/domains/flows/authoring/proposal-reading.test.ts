import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FlowBundle } from '../bundle/flow-record.ts'
import { type FlowHub, openFlowHub, type Said } from '../flow-hub.fixture.ts'
import { approve, draft, propose, proposeEdit, publish } from './drafts.fixture.ts'
import { findOpenProposal } from './proposal-store.ts'

let hub: FlowHub
beforeEach(async () => void (hub = await openFlowHub()))
afterEach(() => hub.close())

const idOf = (proposed: Said) => ({ proposal_id: proposed.body.proposal_id as string })
const ids = (said: Said) => said.body.proposals.map((one: { flow_id: string }) => one.flow_id)

describe('reading proposals', () => {
  test('a missing proposal and one in an invisible scope look the same', async () => {
    const hidden = await propose(hub, draft({ scope: 'org' }))
    const missing = { proposal_id: 'prop_000000000000000000000000' }
    const calls = [
      ['proposal_show', {}, 'viewer'],
      ['proposal_evaluate', { outcome: 'pass' }, 'evaluator'],
    ] as const
    for (const [name, input, as] of calls) {
      const answers = [idOf(hidden), missing].map((id) => hub.ask(name, { ...id, ...input }, { as }))
      const [seen, unseen] = await Promise.all(answers)
      expect(seen).toMatchObject({ status: 404, code: 'unknown_proposal' })
      expect(seen?.text).toBe(unseen?.text)
    }
    expect((await hub.ask('proposal_show', idOf(hidden), { vault: 'other' })).code).toBe('unknown_proposal')
  })

  test('an edit that would show an invisible base is invisible', async () => {
    const base = await publish(hub, draft({ scope: 'org' }))
    const narrowed = await proposeEdit(hub, base, draft({ version: '2.0.0', scope: 'personal' }))
    expect((await hub.ask('proposal_show', idOf(narrowed), { as: 'viewer' })).code).toBe('unknown_proposal')
    expect((await hub.ask('proposal_list', {}, { as: 'viewer' })).body.proposals).toEqual([])
    const { db } = hub.hub
    expect(await findOpenProposal(db, 'default', 'flow_own', '2.0.0', ['personal'])).toBeUndefined()
    const seen = await findOpenProposal(db, 'default', 'flow_own', '2.0.0', ['personal', 'org'])
    expect(seen).toBe(narrowed.body.proposal_id)
  })

  test('the list is newest first, by state, in pages, without what the caller cannot see', async () => {
    const made: Said[] = []
    for (let at = 0; at < 7; at++) {
      made.push(await propose(hub, draft({ flow_id: `flow_n${at}`, scope: at % 2 ? 'org' : 'personal' })))
    }
    await hub.ask('proposal_discard', idOf(made[2] as Said))
    const all = await hub.ask('proposal_list', {})
    expect(ids(all)).toEqual(['flow_n6', 'flow_n5', 'flow_n4', 'flow_n3', 'flow_n2', 'flow_n1', 'flow_n0'])
    expect(all.body).toMatchObject({
      schema: 'knowtation.flow_proposal_list/v0',
      vault_id: 'default',
      next_cursor: null,
    })
    expect(ids(await hub.ask('proposal_list', { status: 'proposed' }, { as: 'viewer' }))).toEqual([
      'flow_n6',
      'flow_n4',
      'flow_n0',
    ])
    const walked: string[] = []
    let cursor: string | undefined
    do {
      const page: Said = await hub.ask('proposal_list', { limit: 3, ...(cursor && { cursor }) })
      walked.push(...ids(page))
      cursor = page.body.next_cursor ?? undefined
    } while (cursor)
    expect(walked).toEqual(ids(all))
    expect((await hub.ask('proposal_list', { cursor: 'zzz' })).code).toBe('BAD_REQUEST')
    expect((await hub.ask('proposal_list', { limit: 201 })).code).toBe('BAD_REQUEST')
  })

  test('a proposal shows who made it and who decided it, and when', async () => {
    const made = { as: 'editor/eve' }
    const [kept, gone] = [
      await propose(hub, draft(), made),
      await propose(hub, draft({ flow_id: 'flow_b' }), made),
    ]
    const approved = await approve(hub, kept, { as: 'admin/ann' })
    const discarded = await hub.ask('proposal_discard', idOf(gone), { as: 'admin/bob' })
    for (const [proposed, decided, by] of [
      [kept, approved, 'token:tok_ann'],
      [gone, discarded, 'token:tok_bob'],
    ] as const) {
      const { proposal } = (await hub.ask('proposal_show', idOf(proposed))).body
      expect(proposal).toEqual(decided.body)
      expect([proposal.created_by, proposal.decided_by]).toEqual(['token:tok_eve', by])
      expect([proposal.evaluated_by, proposal.evaluated_at]).toEqual([null, null])
      // Each call is a second later than the one before.
      expect(Date.parse(proposal.decided_at) - Date.parse(proposal.created_at)).toBe(2_000)
    }
  })

  test('a page has fifty proposals unless a number is named', async () => {
    for (let at = 0; at < 51; at++) await propose(hub, draft({ flow_id: `flow_n${at}` }))
    const usual = (await hub.ask('proposal_list', {})).body
    const all = (await hub.ask('proposal_list', { limit: 200 })).body
    expect([usual.proposals, all.proposals.length]).toEqual([all.proposals.slice(0, 50), 51])
    const rest = (await hub.ask('proposal_list', { cursor: usual.next_cursor })).body
    expect([rest.proposals, rest.next_cursor]).toEqual([all.proposals.slice(50), null])
  })

  test('a proposal shows its draft and what it changes', async () => {
    const base = await publish(hub, draft({ step_count: 2 }))
    const next = draft({
      step_count: 3,
      version: '1.1.0',
      step: { instruction: 'Read the notes of the week.\nBe kind.' },
    })
    const shown = (await hub.ask('proposal_show', idOf(await proposeEdit(hub, base, next)))).body
    const read = ['schema', 'vault_id', 'proposal', 'flow', 'steps', 'diff']
    const judged = ['power', 'draft_digest', 'newest_version', 'is_current']
    expect(Object.keys(shown)).toEqual([...read, ...judged])
    expect({ flow: shown.flow, steps: shown.steps }).toEqual(next)
    expect(shown.diff.changes[0]).toEqual({ path: 'flow.version', before: '1.0.0', after: '1.1.0' })
    expect(shown.diff.changes).toContainEqual({
      path: 'steps[flow_own#3].trigger',
      before: null,
      after: 'It is Friday.',
    })
    expect(shown.diff.text).toContain(
      '@@ steps[flow_own#1].instruction @@\n Read the notes of the week.\n-List what is open.\n+Be kind.\n',
    )
    expect(shown.diff.truncated).toBe(false)
  })

  test('a proposal shows every change, also one that reads the same', async () => {
    const [base, next] = [
      { instruction: 'Read.\nList.', boundaries: ['Send no mail.', 'Ask first.'], trigger: 'Friday.' },
      { instruction: 'Read.\r\nList.', boundaries: ['Send no mail.\nAsk first.'], trigger: 'Friday.\u2028' },
    ].map((step, at) => draft({ version: `1.${at}.0`, step })) as [FlowBundle, FlowBundle]
    next.flow.vault_mirror_path = 'null'
    const before = { ...base, flow: { ...base.flow, vault_mirror_path: null } }
    await publish(hub, before)
    const { diff } = (await hub.ask('proposal_show', idOf(await proposeEdit(hub, before, next)))).body
    expect(diff.text.slice(diff.text.indexOf('@@ flow.vault'))).toBe(
      [
        '@@ flow.vault_mirror_path @@',
        '-null',
        '+null',
        '@@ steps[flow_own#1].instruction @@',
        '-Read.',
        '+Read.\\u{d}',
        ' List.',
        '@@ steps[flow_own#1].trigger @@',
        ' Friday.',
        '+',
        '@@ steps[flow_own#1].boundaries @@',
        '-Send no mail.',
        '-Ask first.',
        '+Send no mail.\\u{a}Ask first.',
        '',
      ].join('\n'),
    )
  })
})
