import { expect, test } from 'vitest'
import { findWaitSeconds } from './retry-schedule.ts'

test('the waits grow, a receiver can make them longer up to a day, and the sixth failure is the last', () => {
  const waits = [1, 2, 3, 4, 5, 6, 7].map((attempts) => findWaitSeconds(attempts))
  expect(waits).toEqual([30, 120, 600, 3_600, 21_600, undefined, undefined])
  expect([findWaitSeconds(1, 5), findWaitSeconds(1, 500), findWaitSeconds(1, 1e9)]).toEqual([30, 500, 86_400])
  expect(findWaitSeconds(6, 500)).toBeUndefined()
})
