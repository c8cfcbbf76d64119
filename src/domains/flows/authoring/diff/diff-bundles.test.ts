import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hostileBundle } from '../../bundle/arbitrary-bundle.fixture.ts'
import { sampleBundle, sampleFlow, sampleStep } from '../../bundle/sample-bundle.fixture.ts'
import { diffBundles } from './diff-bundles.ts'
import { diffLines } from './diff-lines.ts'

const plenty = () => ({ comparisons: 1_000_000 })
const lines = fc.array(fc.constantFrom('a', 'b', 'c', '', '@@ flow.title @@'), { maxLength: 12 })

describe('diffLines', () => {
  test('taking the kept and removed lines gives the old text, the kept and added the new', () => {
    fc.assert(
      fc.property(lines, lines, fc.nat(200), (before, after, comparisons) => {
        const made = diffLines(before, after, { comparisons })
        const without = (mark: string) => made.filter((line) => line[0] !== mark).map((line) => line.slice(1))
        expect(without('+')).toEqual(before)
        expect(without('-')).toEqual(after)
      }),
    )
  })

  test('keeps as many lines as the longest common row', () => {
    expect(diffLines(['a', 'b', 'c', 'd'], ['a', 'c', 'x', 'd'], plenty())).toEqual([
      ' a',
      '-b',
      ' c',
      '+x',
      ' d',
    ])
    expect(diffLines([], ['a'], plenty())).toEqual(['+a'])
    expect(diffLines(['a'], ['a'], plenty())).toEqual([' a'])
  })

  test('without a budget left it shows the changed part as replaced', () => {
    expect(diffLines(['s', 'a', 'b'], ['s', 'b', 'c'], { comparisons: 3 })).toEqual([
      ' s',
      '-a',
      '-b',
      '+b',
      '+c',
    ])
  })
})

describe('diffBundles', () => {
  test('a bundle does not differ from itself', () => {
    const bundle = sampleBundle(3)
    expect(diffBundles(bundle, bundle)).toEqual({
      changes: [],
      text: '--- flow_weekly_review@1.2.0\n+++ flow_weekly_review@1.2.0\n',
      truncated: false,
    })
  })

  test('names what changed by its path and shows lists item by item', () => {
    const before = sampleBundle(2)
    const after = {
      flow: { ...sampleFlow(1, { tags: ['review', 'friday'] }), version: '2.0.0' },
      steps: [sampleStep(1, { verification: { ...sampleStep().verification, evidence_required: false } })],
    }
    const { changes, text } = diffBundles(before, after)
    expect(changes.slice(0, 4)).toEqual([
      { path: 'flow.version', before: '1.2.0', after: '2.0.0' },
      { path: 'flow.tags', before: 'review', after: 'review\nfriday' },
      {
        path: 'flow.steps',
        before: 'flow_weekly_review#1\nflow_weekly_review#2',
        after: 'flow_weekly_review#1',
      },
      { path: 'steps[flow_weekly_review#1].verification.evidence_required', before: 'true', after: 'false' },
    ])
    expect(
      changes
        .slice(4)
        .every(({ path, after: left }) => path.startsWith('steps[flow_weekly_review#2].') && left === null),
    ).toBe(true)
    expect(text).toContain('@@ flow.tags @@\n review\n+friday\n')
  })

  test('no text of a flow can pass for a heading of ours, or hide behind invisible signs', () => {
    fc.assert(
      fc.property(hostileBundle, hostileBundle, (before, after) => {
        const { changes, text } = diffBundles(before, after)
        const rendered = text.split('\n').slice(2, -1)
        expect(rendered.filter((line) => !/^[ +-]/.test(line))).toEqual(
          changes.map(({ path }) => `@@ ${path} @@`),
        )
        expect(text).not.toMatch(/[\p{Cf}\p{Default_Ignorable_Code_Point}]/u)
      }),
      { numRuns: 60 },
    )
    const tricky = {
      ...sampleFlow(),
      title: 'safe\u202etxet\u200b',
      summary: 'Be kind.\ufe01\u{e0141}\u3164',
    }
    const { text } = diffBundles(undefined, { flow: tricky, steps: [sampleStep()] })
    expect(text).toContain('+safe\\u{202e}txet\\u{200b}\n')
    expect(text).toContain('+Be kind.\\u{fe01}\\u{e0141}\\u{3164}\n')
  })

  test('a huge draft is shown in part, and said to be', () => {
    const many = sampleBundle(500, { instruction: 'x\n'.repeat(400) })
    const { changes, text, truncated } = diffBundles(undefined, many)
    expect(truncated).toBe(true)
    expect(changes.length).toBeGreaterThan(0)
    expect(changes.length).toBeLessThanOrEqual(1_000)
    expect(text.length).toBeLessThan(1_000_000)
  })
})
