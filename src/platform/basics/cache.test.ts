import fc from 'fast-check'
import { expect, test } from 'vitest'
import { boundedCache, cachePerObject } from './cache.ts'

test('what was used lately is not made again, and what was not is forgotten in the end', () => {
  const limit = 6
  fc.assert(
    fc.property(fc.array(fc.nat(9).map(String), { maxLength: 80 }), (keys) => {
      const made: string[] = []
      const find = boundedCache(limit, (key) => `${key} of ${made.push(key)}`)
      for (const [at, key] of keys.entries()) {
        const before = made.length
        expect(find(key).split(' ')[0]).toBe(key)
        const since = keys.slice(keys.lastIndexOf(key, at - 1) + 1, at)
        const isFresh = at > 0 && keys.lastIndexOf(key, at - 1) >= 0 && new Set(since).size < limit / 2
        if (isFresh) expect(made.length).toBe(before)
      }
    }),
  )
  const made: string[] = []
  const find = boundedCache(limit, (key) => made.push(key))
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'a']) find(key)
  expect(made).toEqual(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'a'])
})

test('a thing is made once for each owner', () => {
  const made: string[] = []
  const ofEach = cachePerObject(({ name }: { name: string }) => made.push(name))
  const [one, two] = [{ name: 'one' }, { name: 'two' }]
  expect([one, two, one].map(ofEach)).toEqual([1, 2, 1])
})
