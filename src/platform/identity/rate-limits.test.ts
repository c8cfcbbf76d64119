import { expect, test } from 'vitest'
import { placeOf, windowCounter } from './rate-limits.ts'

const START = Date.parse('2026-01-01T00:00:00Z')

function counter(limit: number) {
  const clock = { ms: 0 }
  const count = windowCounter(limit, () => new Date(START + clock.ms))
  return { clock, count }
}

test('so many go through in a minute, the next waits, and a new minute begins at its very start', () => {
  const { clock, count } = counter(2)
  expect([count('a'), count('a'), count('a')]).toEqual([0, 0, 60])
  // Seconds are told whole, and never too few.
  for (const [ms, seconds] of [
    [58_999, 2],
    [59_000, 1],
    [59_999, 1],
    [60_000, 0],
  ] as const) {
    clock.ms = ms
    expect([ms, count('a')]).toEqual([ms, seconds])
  }
})

test('asking how long to wait counts nothing and tells it before the one that would be refused', () => {
  const { clock, count } = counter(2)
  expect(count.wait('a')).toBe(0)
  count('a')
  expect([count.wait('a'), count.wait('a')]).toEqual([0, 0])
  count('a')
  expect(count.wait('a')).toBe(60)
  clock.ms = 60_000
  expect(count.wait('a')).toBe(0)
})

test('a clock that was set back begins a new minute', () => {
  const { clock, count } = counter(1)
  expect([count('a'), count('a')]).toEqual([0, 60])
  clock.ms = -1
  expect([count('a'), count('a')]).toEqual([0, 60])
})

test('the oldest count is forgotten for one too many, and no other', () => {
  const { count } = counter(1)
  for (let key = 0; key < 10_000; key++) count(`k${key}`)
  expect(count('k0')).toBe(60)
  count('one more')
  expect([count('k1'), count('k0')]).toEqual([60, 0])
})

test('without a limit nothing is counted', () => {
  const { count } = counter(Number.POSITIVE_INFINITY)
  expect([count('a'), count('a'), count.wait('a')]).toEqual([0, 0, 0])
})

test.each([
  ['127.0.0.1', 'loopback'],
  ['127.9.8.7', 'loopback'],
  ['::ffff:127.0.0.2', 'loopback'],
  ['::1', 'loopback'],
  ['128.0.0.1', '128.0.0.1'],
  ['::ffff:10.0.0.1', '::ffff:10.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:DB8:1:2::9%eth0', '2001:db8:1:2'],
  ['2001:db8::9', '2001:db8:0:0'],
  ['fe80::1:2:3:4:5', 'fe80:0:0:1'],
  ['::', '0:0:0:0'],
])('%s sits at %s', (address, place) => {
  expect(placeOf(address)).toBe(place)
})
