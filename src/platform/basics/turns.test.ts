import { expect, test } from 'vitest'
import { openTurns } from './turns.ts'

test('so many go on at once, the others in order, and room given back twice counts once', async () => {
  const turns = openTurns(2)
  const begun: number[] = []
  const start = async (name: number) => {
    const giveBack = await turns.take()
    begun.push(name)
    return giveBack
  }
  const [first, second] = [await start(1), await start(2)]
  const waiting = [start(3), start(4)]
  expect([begun, turns.waiting()]).toEqual([[1, 2], 2])
  first()
  first()
  const third = await (waiting[0] as Promise<() => void>)
  expect([begun, turns.waiting()]).toEqual([[1, 2, 3], 1])
  second()
  third()
  await waiting[1]
  expect(begun).toEqual([1, 2, 3, 4])
})

test('who comes in the moment in which room is handed on waits too', async () => {
  const turns = openTurns(1)
  const giveBack = await turns.take()
  const before = turns.take()
  giveBack()
  const after = turns.take()
  expect(turns.waiting()).toBe(1)
  ;(await before)()
  await after
})

test('a full line takes nobody, a failure gives its room back, and who is told to stop leaves the line', async () => {
  const turns = openTurns(1, { limit: 1, full: () => new Error('full') })
  const giveBack = await turns.take()
  const stop = new AbortController()
  const stopped = turns.take(stop.signal)
  await expect(turns.take()).rejects.toThrow('full')
  stop.abort(new Error('stopped'))
  await expect(stopped).rejects.toThrow('stopped')
  const failing = turns.run(() => Promise.reject(new Error('failed')))
  giveBack()
  await expect(failing).rejects.toThrow('failed')
  expect(await turns.run(async () => turns.waiting())).toBe(0)
})
