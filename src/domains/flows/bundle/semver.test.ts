import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareVersions, isVersion, parseVersion, versionKey } from './semver.ts'

const part = fc.bigInt({ min: 0n, max: 10n ** 18n })
const parts = fc.tuple(part, part, part)

test.each([
  '1.0.0-rc1',
  '01.0.0',
  '1.0',
  '1.0.0.0',
  'v1.0.0',
  '1.0.0+b',
  ' 1.0.0',
  '1.0.0\n',
  '1..0',
  '',
  '١.0.0',
])('refuses %j', (text) => {
  expect(parseVersion(text)).toBeUndefined()
  expect(isVersion(text)).toBe(false)
  expect(() => versionKey(text)).toThrow(TypeError)
})

test('accepts 64 characters and refuses 65', () => {
  expect(isVersion(`1.0.${'9'.repeat(60)}`)).toBe(true)
  expect(isVersion(`1.0.${'9'.repeat(61)}`)).toBe(false)
})

test('parts beyond the safe integers keep their order', () => {
  expect(compareVersions('1.0.9007199254740993', '1.0.9007199254740992')).toBeGreaterThan(0)
  expect(compareVersions(`1.0.${'9'.repeat(60)}`, `1.0.1${'0'.repeat(59)}`)).toBeGreaterThan(0)
  expect(compareVersions('1.10.0', '1.9.9')).toBeGreaterThan(0)
  expect(compareVersions('1.2.0', '1.2.0')).toBe(0)
})

test('order of versions is the order of their three numbers, and the byte order of their keys', () => {
  fc.assert(
    fc.property(parts, parts, (left, right) => {
      const expected = sign(left, right)
      expect(compareVersions(left.join('.'), right.join('.'))).toBe(expected)
      const leftKey = Buffer.from(versionKey(left.join('.')))
      expect(Buffer.compare(leftKey, Buffer.from(versionKey(right.join('.'))))).toBe(expected)
    }),
  )
})

function sign(left: readonly bigint[], right: readonly bigint[]): number {
  for (const [index, value] of left.entries()) {
    const other = right[index] ?? 0n
    if (value !== other) return value < other ? -1 : 1
  }
  return 0
}
