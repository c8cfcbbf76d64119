import { expect } from 'vitest'
import type { RuleId } from '../requirements/rule-ids.ts'
import { describeParity, type ParityCase } from './parity-case.ts'
import { bareDraft, flowOf, stepOf } from './sample-flows.ts'

const ID = 'flow_draft'

/** A sound draft with parts replaced; a part set to undefined is left out. */
function draft(flow: object = {}, step: object = {}, more: object = {}) {
  return { flow: { ...flowOf(ID), ...flow }, steps: [{ ...stepOf(ID, 1), ...step }], ...more }
}

function twoSteps(flow: object, first: object, second: object) {
  return {
    flow: { ...flowOf(ID, 2), ...flow },
    steps: [
      { ...stepOf(ID, 1), ...first },
      { ...stepOf(ID, 2), ...second },
    ],
  }
}

function checking(name: string, rules: RuleId[], bundle: object, fault?: string | RegExp): ParityCase {
  return {
    name,
    rules,
    operation: 'flow_check',
    input: { bundle },
    as: 'admin',
    status: fault === undefined ? 200 : 400,
    ...(fault !== undefined && { code: 'FLOW_DRAFT_INVALID' }),
    check(body) {
      if (fault === undefined)
        expect(Object.keys(body)).toEqual(['schema', 'flow_id', 'state_id', 'flow', 'steps'])
      else expect(body.error).toMatch(fault)
    },
  }
}

/** For a field with a closed vocabulary: every word of it is taken, anything near is not. */
function vocabulary(
  rule: RuleId,
  place: string,
  make: (word: string) => object,
  words: string[],
  others: string[],
) {
  return [
    ...words.map((word) => checking(`${place} may be ${word}`, [rule], make(word))),
    ...others.map((word) =>
      checking(`${place} may not be ${JSON.stringify(word)}`, [rule], make(word), place),
    ),
  ]
}

const verification = (changes: object) =>
  draft({}, { verification: { ...stepOf(ID, 1).verification, ...changes } })

const VOCABULARIES: ParityCase[] = [
  ...vocabulary(
    'FLOW-001',
    'flow.scope',
    (scope) => draft({ scope }),
    ['personal', 'project', 'org'],
    ['team', 'Org', ''],
  ),
  ...vocabulary(
    'FLOW-002',
    'steps[0].verification.kind',
    (kind) => verification({ kind }),
    ['human_review', 'artifact_exists', 'value_match', 'test_pass', 'agent_check'],
    ['vibes', 'HUMAN_REVIEW'],
  ),
  ...vocabulary(
    'FLOW-004',
    'steps[0].automatable',
    (automatable) => draft({}, { automatable }),
    ['manual', 'agent_assisted', 'automatable'],
    ['auto', ''],
  ),
  ...vocabulary(
    'FLOW-005',
    'steps[0].skill_refs[0].kind',
    (kind) => draft({}, { skill_refs: [{ kind, id: 'x' }] }),
    ['mcp_prompt', 'skill_pack', 'cli', 'external_tool'],
    ['plugin', 'EXTERNAL_TOOL'],
  ),
  ...vocabulary(
    'FLOW-005',
    'steps[0].requires[0].kind',
    (kind) => draft({}, { requires: [{ kind, id: 'x' }] }),
    ['vault_scope', 'tool', 'file', 'artifact'],
    ['url', 'external_tool'],
  ),
]

const FORMS: ParityCase[] = [
  ...['flow_other#1', `${ID}#2`, `${ID}#0`, `${ID}#01`, `${ID}`, `${ID}#`].map((step_id) =>
    checking(
      `the id ${step_id} of the first step`,
      ['FLOW-008'],
      draft({}, { step_id }),
      /^steps\[0\]\.(step_id|ordinal) /,
    ),
  ),
  ...[
    '1.0.0-rc1',
    '01.0.0',
    '1.00.0',
    '1.0.01',
    '1.0',
    '1.0.0.0',
    'v1.0.0',
    '1.0.0+build',
    ' 1.0.0',
    '1.0.0\n',
    '',
  ].map((version) =>
    checking(`the version ${JSON.stringify(version)}`, ['FLOW-009'], draft({ version }), /^flow\.version /),
  ),
  ...['0.0.0', '1.20.300', '10.0.0'].map((version) =>
    checking(`the version ${version}`, ['FLOW-009'], draft({ version })),
  ),
  checking('32 tags', ['FLOW-012'], draft({ tags: Array.from({ length: 32 }, (_, at) => `t${at}`) })),
  checking(
    '33 tags',
    ['FLOW-012'],
    draft({ tags: Array.from({ length: 33 }, (_, at) => `t${at}`) }),
    /^flow\.tags /,
  ),
  ...(['trigger', 'when_not_to_run', 'output_shape'] as const).flatMap((field) =>
    [undefined, '', '  ', '\n\t', '\u200b', '\u00a0\u3164'].map((value) =>
      checking(
        `a step whose ${field} is ${value === undefined ? 'missing' : JSON.stringify(value)}`,
        ['FLOW-015'],
        draft({}, { [field]: value }),
        new RegExp(`^steps\\[0\\]\\.${field} `),
      ),
    ),
  ),
  ...[undefined, '', '  ', null, {}].map((value) =>
    checking(
      `a step whose verification is ${JSON.stringify(value) ?? 'missing'}`,
      ['FLOW-015', 'FLOW-017'],
      draft({}, { verification: value }),
      /^steps\[0\]\.verification/,
    ),
  ),
  ...['yes', 1, null, undefined].map((evidence_required) =>
    checking(
      `evidence_required ${JSON.stringify(evidence_required) ?? 'missing'}`,
      ['FLOW-017'],
      verification({ evidence_required }),
      'steps[0].verification.evidence_required must be a boolean',
    ),
  ),
  checking(
    'a verification without a description',
    ['FLOW-017'],
    verification({ description: undefined }),
    /description/,
  ),
  checking('a verification with more', ['FLOW-017'], verification({ more: 1 }), /unknown fields/),
]

const ORDINALS: ParityCase[] = [
  checking('ordinal 0', ['FLOW-016'], draft({ steps: [`${ID}#1`] }, { ordinal: 0 }), /^steps\[0\]\.ordinal /),
  checking('ordinal 1.5', ['FLOW-016'], draft({}, { ordinal: 1.5 }), /^steps\[0\]\.ordinal /),
  checking('ordinal "1"', ['FLOW-016'], draft({}, { ordinal: '1' }), /^steps\[0\]\.ordinal /),
  checking(
    'the same ordinal twice',
    ['FLOW-016'],
    twoSteps({}, {}, { ordinal: 1, step_id: `${ID}#1` }),
    'steps[1].step_id must be unique',
  ),
  checking(
    'steps named in another order',
    ['FLOW-016'],
    twoSteps({ steps: [`${ID}#2`, `${ID}#1`] }, {}, {}),
    /^flow\.steps /,
  ),
  checking(
    'a step that is not named',
    ['FLOW-016'],
    twoSteps({ steps: [`${ID}#1`] }, {}, {}),
    /^flow\.steps /,
  ),
  checking('a name without a step', ['FLOW-016'], draft({ steps: [`${ID}#1`, `${ID}#9`] }), /^flow\.steps /),
  {
    ...checking(
      'ordinals with gaps, steps given in any order',
      ['FLOW-016'],
      twoSteps(
        { steps: [`${ID}#3`, `${ID}#7`] },
        { ordinal: 7, step_id: `${ID}#7` },
        { ordinal: 3, step_id: `${ID}#3` },
      ),
    ),
    check: ({ steps }) => expect(steps.map((step: { ordinal: number }) => step.ordinal)).toEqual([3, 7]),
  },
]

/** Faults in the fixed order of checks: mending them one by one tells the next one each time. */
const FAULTS: readonly (readonly [string, (wrong: boolean) => object])[] = [
  ['flow.flow_id', (wrong) => ({ flow_id: wrong ? 'Flow-1' : ID })],
  ['flow.schema', (wrong) => ({ schema: wrong ? 'other' : 'knowtation.flow/v0' })],
  ['flow.title', (wrong) => ({ title: wrong ? ' ' : 'A title' })],
  ['flow.version', (wrong) => ({ version: wrong ? '1' : '1.0.0' })],
  ['flow.scope', (wrong) => ({ scope: wrong ? 'team' : 'personal' })],
  ['flow.summary', (wrong) => ({ summary: wrong ? 5 : 'A summary' })],
  ['flow.steps', (wrong) => ({ steps: wrong ? [] : [`${ID}#1`] })],
  ['flow.updated', (wrong) => ({ updated: wrong ? 'today' : '2026-11-01T00:00:00Z' })],
  ['flow.truncated', (wrong) => ({ truncated: wrong ? 'no' : false })],
  ['steps[0]', () => ({})],
]

const FIXED_ORDER: ParityCase[] = [
  checking(
    'a bundle that is wrong all over: flow first',
    ['FLOW-018'],
    { flow: 1, steps: [] },
    /^flow must /,
  ),
  checking(
    'a bundle without steps, its flow wrong: steps first',
    ['FLOW-018'],
    { flow: {}, steps: [] },
    /^steps must /,
  ),
  checking(
    'unknown fields of the flow and of the bundle: the flow first',
    ['FLOW-018'],
    draft({ owner: 'me' }, { trigger: '' }, { more: 1 }),
    /^flow must not hold unknown fields/,
  ),
  checking(
    'an unknown field of the bundle, and a step that is wrong: the bundle first',
    ['FLOW-018'],
    draft({}, { trigger: '' }, { more: 1 }),
    /^bundle must not hold unknown fields/,
  ),
  ...FAULTS.map(([place], mended) => {
    const flow = Object.assign({}, ...FAULTS.map(([, make], at) => make(at >= mended)))
    return checking(
      `with ${mended} faults mended ${place} is the first one told`,
      ['FLOW-018'],
      { flow, steps: [{ ...stepOf(ID, 1), trigger: '', automatable: 'auto' }] },
      place === 'steps[0]' ? /^steps\[0\]\.trigger / : new RegExp(`^${place.replace('.', '\\.')} `),
    )
  }),
]

const SOUND: ParityCase[] = [
  {
    ...checking('a draft that leaves out what it may comes back in full', ['FLOW-011'], bareDraft(ID)),
    check({ flow, steps }) {
      expect(flow).toMatchObject({ tags: [], inputs: [], vault_mirror_path: null })
      expect(steps[0]).toMatchObject({ requires: [], skill_refs: [], inputs: [], outputs: [] })
    },
  },
  checking('a field that is not of a flow', ['FLOW-010'], draft({ owner: 'me' }), /unknown fields/),
  {
    name: 'a key that would be dropped',
    operation: 'flow_check',
    as: 'admin',
    input: { bundle: { ...draft(), ...JSON.parse('{"__proto__":{"flow":1}}') } },
    status: 400,
    code: 'BAD_REQUEST',
    check: ({ error }) => expect(error).toBe('bundle has a key that is not known.'),
  },
  checking(
    'the version of a stored row on a step',
    ['FLOW-014'],
    draft({}, { flow_version: '1.0.0' }),
    /unknown fields/,
  ),
]

describeParity('flow_check', [...VOCABULARIES, ...FORMS, ...ORDINALS, ...FIXED_ORDER, ...SOUND])
