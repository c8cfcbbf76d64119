import { expect, test } from 'vitest'
import { isStale, stalenessOf } from './staleness.ts'

test.each([
  ['1.2.0', '1.2.0', false],
  ['1.2.0', '1.3.0', true],
  ['1.9.0', '1.10.0', true],
  ['1.10.0', '1.9.0', false],
  ['2.0.0', '1.9.9', false],
  ['1.2', '1.2.0', true],
  ['1.2.0', 'latest', true],
  ['1.2.0-rc1', '1.2.0-rc1', true],
])('a projection of %s with %s as the latest: stale %s', (projected, latest, stale) => {
  expect(stalenessOf(projected, latest)).toEqual({
    stale,
    projection_version: projected,
    latest_version: latest,
  })
})

test('a missing version is stale', () => {
  expect(isStale(undefined, '1.0.0')).toBe(true)
  expect(isStale('1.0.0', undefined)).toBe(true)
})
