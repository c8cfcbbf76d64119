import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CollectedRecord, Json } from './connector.ts'
import {
  changesIn,
  findMember,
  type PagingOptions,
  pageChanges,
  readIndex,
  stableKey,
} from './page-changes.ts'

const keys = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'a', 'b', 'c'), fc.string({ minLength: 1 }))
const state = fc.dictionary(keys, fc.integer({ min: 0, max: 3 }), { maxKeys: 12 })

function recordsOf(things: Record<string, number>): CollectedRecord[] {
  return Object.entries(things).map(([key, value]) => ({ key, data: { value } }))
}

async function* runOn(things: Record<string, number>, checkpoint: Json) {
  const index = readIndex(findMember(checkpoint, 'index'))
  const options: PagingOptions = { stream: 's', index, checkpoint: (marks) => ({ index: marks }) }
  // Pages of one change each, so that a run can be broken off anywhere.
  for (const change of changesIn(recordsOf(things), index, 'removed')) yield* pageChanges([change], options)
  yield* pageChanges([], options)
}

test('whatever a source goes through and wherever runs break off, what is kept becomes the source', async () => {
  const steps = fc.array(fc.tuple(state, fc.integer({ min: 0, max: 6 })), { minLength: 1, maxLength: 5 })
  await fc.assert(
    fc.asyncProperty(steps, state, async (broken, last) => {
      const kept = new Map<string, Json>()
      let checkpoint: Json = null
      for (const [things, pages] of [...broken, [last, Number.POSITIVE_INFINITY] as const]) {
        let count = 0
        for await (const page of runOn(things, JSON.parse(JSON.stringify(checkpoint)) as Json)) {
          for (const key of page.removals ?? []) expect(kept.delete(key)).toBe(true)
          for (const { key, data } of page.upserts) {
            expect(kept.get(key)).not.toEqual(data)
            kept.set(key, data)
          }
          checkpoint = page.checkpoint
          if (++count >= pages) break
        }
      }
      expect([...kept].toSorted()).toEqual(
        recordsOf(last)
          .map(({ key, data }) => [key, data])
          .toSorted(),
      )
    }),
    { numRuns: 150 },
  )
})

test('pages end at 500 records, and at their size', async () => {
  const many = Array.from({ length: 1201 }, (_, n) => ({ key: `k${n}`, mark: 'm', data: { n } }))
  const large = Array.from({ length: 12 }, (_, n) => ({
    key: `k${n}`,
    mark: 'm',
    data: { t: 'x'.repeat(1e6) },
  }))
  const sizes = async (changes: typeof many | typeof large) => {
    const pages = []
    const options = { stream: 's', index: new Map<string, string>(), checkpoint: (marks: Json) => marks }
    for await (const { upserts } of pageChanges(changes, options)) pages.push(upserts.length)
    return pages
  }
  expect(await sizes(many)).toEqual([500, 500, 201])
  expect(await sizes(large)).toEqual([5, 5, 2])
})

test('keys stay the same, and long or odd ones stay apart', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), (one, other) => {
      expect(stableKey(one)).toBe(stableKey(one))
      expect(stableKey(one) === stableKey(other)).toBe(one === other)
      expect(stableKey(one.repeat(300)).length).toBeLessThanOrEqual(200)
    }),
  )
})
