import { expect, test } from 'vitest'
import { isAutoApprovable } from './auto-approvable.ts'
import { sampleStep } from './sample-bundle.fixture.ts'

const seen = sampleStep(1, {
  verification: { kind: 'artifact_exists', evidence_required: true, description: 'Look.' },
})

test('is true only when no step asks for human review', () => {
  expect(isAutoApprovable([seen, seen])).toBe(true)
  expect(isAutoApprovable([seen, sampleStep(2)])).toBe(false)
})

test('is false for no steps at all', () => {
  expect(isAutoApprovable([])).toBe(false)
})
