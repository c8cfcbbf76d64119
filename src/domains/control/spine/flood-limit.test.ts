import fc from 'fast-check'
import { expect, test } from 'vitest'
import { floodLimit } from './flood-limit.ts'

const at = (ms: number) => new Date(1_000_000 + ms)

test('ten of a kind in ten seconds are told, and the next one tells how many were not', () => {
  const judge = floodLimit()
  const told = Array.from({ length: 25 }, (_, n) => judge('a', at(n)).is_told)
  expect(told.filter(Boolean)).toHaveLength(10)
  expect(judge('b', at(30))).toEqual({ is_told: true, left_out: 0 })
  expect(judge('a', at(10_001))).toEqual({ is_told: true, left_out: 15 })
  expect(judge('a', at(10_002))).toEqual({ is_told: true, left_out: 0 })
})

test('whatever comes, what is told and what is left out add up', () => {
  const kinds = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.nat(3_000)), { maxLength: 200 })
  fc.assert(
    fc.property(kinds, (calls) => {
      const judge = floodLimit()
      let now = 0
      const counted: Record<string, number> = { a: 0, b: 0, c: 0 }
      const came: Record<string, number> = { a: 0, b: 0, c: 0 }
      for (const [kind, wait] of calls) {
        now += wait
        came[kind] = (came[kind] ?? 0) + 1
        const { is_told, left_out } = judge(kind, new Date(now))
        counted[kind] = (counted[kind] ?? 0) + Number(is_told) + left_out
      }
      for (const kind of ['a', 'b', 'c']) {
        const verdict = judge(kind, new Date(now + 1_000_000))
        expect((counted[kind] ?? 0) + verdict.left_out).toBe(came[kind])
      }
    }),
  )
})
