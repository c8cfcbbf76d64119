import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hostileBundle } from '../../bundle/arbitrary-bundle.fixture.ts'
import { sampleBundle, sampleFlow, sampleStep } from '../../bundle/sample-bundle.fixture.ts'
import { PowerChange, powerChanges } from './power-changes.ts'

const changed = (step: Parameters<typeof sampleStep>[1]) => ({
  flow: sampleFlow(),
  steps: [sampleStep(1, step)],
})
const kindsOf = (step: Parameters<typeof sampleStep>[1]) =>
  powerChanges(sampleBundle(), changed(step), new Set(['mail'])).map(({ kind }) => kind)

describe('what a draft changes about power', () => {
  test('names each tool that comes, and whether a grant could include it', () => {
    const skill_refs = ['mail', 'fax', 'web_search'].map((id) => ({ kind: 'external_tool' as const, id }))
    const found = powerChanges(sampleBundle(), changed({ skill_refs }), new Set(['mail']))
    expect(found.map(({ kind, after, allowlisted }) => [kind, after, allowlisted])).toEqual([
      ['tool_added', 'fax', false],
      ['tool_added', 'mail', true],
    ])
    expect(kindsOf({ skill_refs: [] })).toEqual(['tool_gone'])
    expect(powerChanges(undefined, sampleBundle(), new Set()).map(({ kind }) => kind)).toEqual(['tool_added'])
  })

  test.each([
    [{ boundaries: [] }, ['boundary_gone']],
    [{ boundaries: ['Change nothing.', 'Send nothing.'] }, ['boundary_added']],
    // A boundary in other words is one that goes and one that comes: the reviewer judges whether they mean the same.
    [{ boundaries: ['Change little.'] }, ['boundary_gone', 'boundary_added']],
    [{ automatable: 'automatable' as const }, ['runs_more_alone']],
    [
      { verification: { kind: 'agent_check' as const, evidence_required: true, description: '' } },
      ['check_weaker'],
    ],
    [
      { verification: { kind: 'human_review' as const, evidence_required: false, description: '' } },
      ['check_weaker'],
    ],
    [{ instruction: 'Read less.' }, []],
  ])('%j is %j', (step, kinds) => {
    expect(kindsOf(step)).toEqual(kinds)
  })

  test('a step that goes takes its boundaries along, and a wider scope opens', () => {
    const after = { flow: sampleFlow(1, { scope: 'org' }), steps: [sampleStep()] }
    const found = powerChanges(sampleBundle(2), after, new Set())
    expect(found.map(({ kind, ordinal }) => [kind, ordinal])).toEqual([
      ['scope_wider', null],
      ['boundary_gone', 2],
    ])
    expect(powerChanges(after, sampleBundle(1), new Set()).map(({ kind }) => kind)).toEqual([
      'scope_narrower',
    ])
  })

  test('a draft like its base changes nothing, what opens is first, and every change has the declared form', () => {
    fc.assert(
      fc.property(hostileBundle, hostileBundle, (before, after) => {
        expect(powerChanges(before, before, new Set())).toEqual([])
        const found = powerChanges(before, after, new Set())
        for (const one of found) PowerChange.parse(one)
        expect(found.map(({ opens }) => opens).toSorted((a, b) => Number(b) - Number(a))).toEqual(
          found.map(({ opens }) => opens),
        )
      }),
      { numRuns: 60 },
    )
  })
})
