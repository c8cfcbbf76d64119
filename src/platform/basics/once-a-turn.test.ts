import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { onceATurn } from './once-a-turn.ts'

test('a look is shared within a turn, by key, and not beyond it', async () => {
  let looks = 0
  const find = onceATurn((key) => `${key} ${++looks}`)
  expect([find('a'), find('b'), find('a')]).toEqual(['a 1', 'b 2', 'a 1'])
  await nextTurn()
  expect(find('a')).toBe('a 3')
})

test('a look that fails is not kept', () => {
  let looks = 0
  const find = onceATurn(() => {
    if (++looks === 1) throw new Error('not now')
    return looks
  })
  expect(() => find('a')).toThrow('not now')
  expect(find('a')).toBe(2)
})
