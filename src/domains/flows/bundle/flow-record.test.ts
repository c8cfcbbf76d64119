import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hostileBundle } from './arbitrary-bundle.fixture.ts'
import { canonicalBundle, canonicalFlow, canonicalStep, stepsInOrder } from './flow-record.ts'
import { sampleBundle, sampleFlow, sampleStep } from './sample-bundle.fixture.ts'

const FLOW_KEYS =
  'schema flow_id title version scope summary tags steps inputs vault_mirror_path updated truncated'.split(
    ' ',
  )
const STEP_KEYS = (
  'schema step_id flow_id ordinal owned_job instruction trigger when_not_to_run requires boundaries ' +
  'skill_refs inputs outputs output_shape verification automatable'
).split(' ')

test('keys come in contract order whatever the order they were given in', () => {
  const flow = Object.fromEntries(Object.entries(sampleFlow()).toReversed())
  const step = Object.fromEntries(Object.entries(sampleStep()).toReversed())
  expect(Object.keys(canonicalFlow(flow as ReturnType<typeof sampleFlow>))).toEqual(FLOW_KEYS)
  expect(Object.keys(canonicalStep(step as ReturnType<typeof sampleStep>))).toEqual(STEP_KEYS)
})

test('absent optional fields get their defaults', () => {
  const { tags: _t, inputs: _i, vault_mirror_path: _p, ...flow } = sampleFlow()
  expect(canonicalFlow(flow)).toMatchObject({ tags: [], inputs: [], vault_mirror_path: null })
  const { requires: _r, skill_refs: _s, inputs: _in, outputs: _out, ...step } = sampleStep()
  expect(canonicalStep(step)).toMatchObject({ requires: [], skill_refs: [], inputs: [], outputs: [] })
})

test('an internal column of a stored row does not get through', () => {
  const row = { ...sampleStep(), flow_version: '1.2.0' }
  expect(canonicalStep(row)).not.toHaveProperty('flow_version')
})

test('steps are ordered by number, not by text', () => {
  const { steps } = sampleBundle(12)
  const ordinals = stepsInOrder(steps.toReversed()).map((step) => step.ordinal)
  expect(ordinals).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12])
})

test('canonicalisation keeps every field and changes nothing the second time', () => {
  fc.assert(
    fc.property(hostileBundle, (bundle) => {
      const once = canonicalBundle(bundle)
      expect(once).toEqual(bundle)
      expect(JSON.stringify(canonicalBundle(once))).toBe(JSON.stringify(once))
    }),
    { numRuns: 50 },
  )
})

test('the canonical record shares nothing with its source', () => {
  const bundle = sampleBundle()
  const before = JSON.stringify(bundle)
  const copy = canonicalBundle(bundle)
  copy.flow.tags.push('late')
  copy.steps[0]?.boundaries.push('late')
  if (copy.steps[0]?.skill_refs[0]) copy.steps[0].skill_refs[0].id = 'late'
  expect(JSON.stringify(bundle)).toBe(before)
})
