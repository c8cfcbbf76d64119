import { expect, test } from 'vitest'
import { openSlots } from './slots.ts'

test('so many go on at once, the others in order, and room given back twice counts once', async () => {
  const slots = openSlots(2)
  const begun: number[] = []
  const start = async (name: number) => {
    const giveBack = await slots.take()
    begun.push(name)
    return giveBack
  }
  const [first, second] = [await start(1), await start(2)]
  const waiting = [start(3), start(4)]
  expect([begun, slots.waiting()]).toEqual([[1, 2], 2])
  first()
  first()
  const third = await (waiting[0] as Promise<() => void>)
  expect([begun, slots.waiting()]).toEqual([[1, 2, 3], 1])
  second()
  third()
  await waiting[1]
  expect(begun).toEqual([1, 2, 3, 4])
})
