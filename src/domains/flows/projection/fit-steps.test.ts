import fc from 'fast-check'
import { expect, test } from 'vitest'
import { verifies } from '../../../../test/requirements/verifies.ts'
import { findBundleFault } from '../bundle/check-bundle.ts'
import type { Flow } from '../bundle/flow-record.ts'
import * as limits from '../bundle/limits.ts'
import { sampleBundle, sampleFlow } from '../bundle/sample-bundle.fixture.ts'
import { fitSteps } from './fit-steps.ts'
import { renderProjection } from './render-projection.ts'

const BOTH = ['cursor_rule', 'cli_runbook'] as const

verifies(
  'FLOW-024',
  'a huge flow renders to at most 65536 UTF-8 bytes of whole steps, and the cut is noted',
  () => {
    const bundle = sampleBundle(100, { instruction: '漢字😀'.repeat(300), output_shape: 'last-words' })
    for (const harness of BOTH) {
      const { rendered, fidelity } = renderProjection({ ...bundle, harness })
      expect(Buffer.byteLength(rendered)).toBeLessThanOrEqual(65_536)
      const shown = rendered.match(/^## Step /gm)?.length ?? 0
      expect(shown).toBeGreaterThan(10)
      expect(fidelity.notes).toContain(`truncated to ${shown} of 100 steps`)
      expect(rendered).toContain(`${shown} of 100 steps are shown`)
      const whole = renderProjection({ flow: bundle.flow, steps: bundle.steps.slice(0, shown), harness })
      expect(whole.fidelity.notes ?? '').not.toContain('truncated')
      expect(rendered.startsWith(whole.rendered)).toBe(true)
    }
  },
)

verifies(
  ['FLOW-024', 'GATE-125'],
  'as many bytes as are allowed are not cut, and one more costs whole steps',
  () => {
    for (const harness of [...BOTH, 'agent_bundle'] as const) {
      const render = (...rest: number[]) => {
        const { rendered, fidelity } = renderProjection({ ...stepsOfLengths(rest), harness })
        return { bytes: Buffer.byteLength(rendered), cut: /truncated.*steps/.exec(fidelity.notes ?? '')?.[0] }
      }
      const room = 65_536 - render(1).bytes
      expect(render(1 + room)).toEqual({ bytes: 65_536, cut: undefined })
      const over = render(2 + room)
      expect([over.bytes < 65_536, over.cut]).toEqual([true, 'truncated to 4 of 5 steps'])
      // The fifth step would fit by itself, but not beside the words that the sixth is missing.
      const beside = render(room - 8, 900)
      expect([beside.bytes < 65_536, beside.cut]).toEqual([true, 'truncated to 4 of 6 steps'])
    }
  },
)

test('both notes of a cut cursor_rule are kept', () => {
  const bundle = sampleBundle(100, { instruction: 'x'.repeat(5000) })
  const { notes } = renderProjection({ ...bundle, harness: 'cursor_rule' }).fidelity
  expect(notes).toMatch(/^cursor_rule has no anti-trigger slot; truncated to \d+ of 100 steps/)
})

test('the largest header the limits allow still fits, whatever its characters cost', () => {
  for (const character of ['<', '漢', '"', '\\', 'é', '\n']) {
    const bundle = { ...sampleBundle(1), flow: largestFlow(character) }
    expect(findBundleFault(bundle)).toBeUndefined()
    for (const harness of BOTH) {
      const { rendered, fidelity } = renderProjection({ ...bundle, harness })
      expect(fidelity.notes ?? '').not.toContain('truncated')
      expect(Buffer.byteLength(rendered)).toBeLessThan(limits.MAX_RENDERED_BYTES * 0.75)
    }
  }
})

test('a first step that is too long by itself leaves a header that says so', () => {
  const bundle = sampleBundle(2, { instruction: '<'.repeat(limits.MAX_INSTRUCTION_CHARS) })
  for (const harness of BOTH) {
    const { rendered, fidelity } = renderProjection({ ...bundle, harness })
    expect(rendered).not.toContain('## Step')
    expect(rendered).toContain('0 of 2 steps are shown')
    expect(fidelity.notes).toContain('truncated to 0 of 2 steps')
  }
})

test('keeps the longest run of whole steps that fits, and all of them up to the last byte', () => {
  const sizes = fc.array(fc.integer({ min: 1, max: 9000 }), { minLength: 1, maxLength: 40 })
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 30_000 }), sizes, (header_bytes, section_bytes) => {
      const header = 'h'.repeat(header_bytes)
      const { rendered, note } = fitSteps(header, section_bytes, (size) => 's'.repeat(size))
      const total = header_bytes + section_bytes.reduce((sum, size) => sum + size, 0)
      expect(note === null).toBe(total <= limits.MAX_RENDERED_BYTES)
      expect(Buffer.byteLength(rendered)).toBeLessThanOrEqual(limits.MAX_RENDERED_BYTES)
      const shown = note === null ? section_bytes.length : Number(/to (\d+) of/.exec(note)?.[1])
      const next = section_bytes[shown] ?? Number.POSITIVE_INFINITY
      // 120 bytes is more than the closing line ever needs.
      expect(Buffer.byteLength(rendered) + next).toBeGreaterThan(limits.MAX_RENDERED_BYTES - 120)
    }),
  )
})

test('a step that leaves no room for the closing line goes too', () => {
  const { rendered, note } = fitSteps('', [1000, 64_500, 100], (size) => 's'.repeat(size))
  expect(Buffer.byteLength(rendered)).toBeLessThanOrEqual(limits.MAX_RENDERED_BYTES)
  expect(note).toContain('truncated to 1 of 3 steps')
})

test('renders each step at most once and none after the cut', () => {
  let calls = 0
  fitSteps('', Array.from({ length: 1000 }), () => {
    calls += 1
    return 'x'.repeat(1000)
  })
  expect(calls).toBe(66)
})

/** Four long steps, then steps whose instructions have these lengths. */
function stepsOfLengths(rest: readonly number[]) {
  const lengths = [15_000, 15_000, 15_000, 15_000, ...rest]
  const { flow, steps } = sampleBundle(lengths.length)
  return { flow, steps: steps.map((step, at) => ({ ...step, instruction: 'x'.repeat(lengths[at] ?? 1) })) }
}

function largestFlow(character: string): Flow {
  const fill = (max_chars: number) => `x${character.repeat(max_chars - 2)}x`
  const fillLine = (max_chars: number) => (character === '\n' ? '<'.repeat(max_chars) : fill(max_chars))
  const mirror = character === '\\' || character === '\n' ? '<' : character
  return sampleFlow(1, {
    flow_id: 'flow_weekly_review',
    title: fill(limits.MAX_TITLE_CHARS),
    version: `0.0.${'9'.repeat(60)}`,
    summary: fill(limits.MAX_SUMMARY_CHARS),
    tags: Array.from({ length: limits.MAX_TAGS }, () => fillLine(limits.MAX_TAG_CHARS)),
    inputs: Array.from({ length: limits.MAX_PORTS }, () => ({
      name: 'n'.repeat(64),
      type: fillLine(limits.MAX_TYPE_CHARS),
      required: false,
    })),
    vault_mirror_path: mirror.repeat(limits.MAX_MIRROR_PATH_CHARS),
  })
}
