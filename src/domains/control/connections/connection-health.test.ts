import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RUN_STATES } from '../runs/run-state.ts'
import { HEALTHS, healthOf, recoveryOf, verdictOf } from './connection-health.ts'

const run = (state: (typeof RUN_STATES)[number], fault_code: string | null = null, attempt = 1) => ({
  state,
  fault_code,
  attempt,
})
const active = { status: 'active' } as const

test.each([
  ['idle', []],
  ['idle', [run('cancelled')]],
  ['unknown', [run('running')]],
  ['healthy', [run('succeeded'), run('failed', 'bad_answer')]],
  ['healthy', [run('running'), run('succeeded')]],
  ['healthy', [run('cancelled'), run('succeeded')]],
  ['degraded', [run('failed', 'bad_answer'), run('succeeded')]],
  ['degraded', [run('failed', 'bad_answer')]],
  ['blocked', [run('failed', 'x'), run('failed', 'x'), run('failed', 'x'), run('succeeded')]],
  ['needs_attention', [run('failed', 'needs_attention'), run('succeeded')]],
  ['cooling_off', [run('failed', 'rate_limited'), run('succeeded')]],
  ['cooling_off', [run('queued', 'unreachable', 2), run('succeeded')]],
] as const)('%s', (health, runs) => {
  expect(healthOf(active, runs)).toBe(health)
})

test('every history has a health, a sentence, and a revoked connection is blocked', () => {
  const histories = fc.array(
    fc.record({
      state: fc.constantFrom(...RUN_STATES),
      fault_code: fc.constantFrom(null, 'refused', 'rate_limited', 'too_large'),
      attempt: fc.nat(5),
    }),
    { maxLength: 10 },
  )
  fc.assert(
    fc.property(histories, (runs) => {
      const health = healthOf(active, runs)
      expect(HEALTHS).toContain(health)
      expect(verdictOf(health)).toMatch(/\.$/)
      if (health === 'healthy' || health === 'idle') expect(recoveryOf(health, active)).toBe(null)
      expect(healthOf({ status: 'revoked' }, runs)).toBe('blocked')
    }),
  )
})
