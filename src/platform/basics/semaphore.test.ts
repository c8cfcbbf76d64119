import { expect, test } from 'vitest'
import { openSemaphore } from './semaphore.ts'

test('so many go on at once, the others in order, and room given back twice counts once', async () => {
  const semaphore = openSemaphore(2)
  const begun: number[] = []
  const start = async (name: number) => {
    const giveBack = await semaphore.acquire()
    begun.push(name)
    return giveBack
  }
  const [first, second] = [await start(1), await start(2)]
  const waiting = [start(3), start(4)]
  expect([begun, semaphore.waiting()]).toEqual([[1, 2], 2])
  first()
  first()
  const third = await (waiting[0] as Promise<() => void>)
  expect([begun, semaphore.waiting()]).toEqual([[1, 2, 3], 1])
  second()
  third()
  await waiting[1]
  expect(begun).toEqual([1, 2, 3, 4])
})

test('who comes in the moment in which room is handed on waits too', async () => {
  const semaphore = openSemaphore(1)
  const giveBack = await semaphore.acquire()
  const before = semaphore.acquire()
  giveBack()
  const after = semaphore.acquire()
  expect(semaphore.waiting()).toBe(1)
  ;(await before)()
  await after
})

test('a full queue takes nobody, a failure gives its room back, and who is told to stop leaves the queue', async () => {
  const semaphore = openSemaphore(1, { limit: 1, full: () => new Error('full') })
  const giveBack = await semaphore.acquire()
  const stop = new AbortController()
  const stopped = semaphore.acquire(stop.signal)
  await expect(semaphore.acquire()).rejects.toThrow('full')
  stop.abort(new Error('stopped'))
  await expect(stopped).rejects.toThrow('stopped')
  const failing = semaphore.run(() => Promise.reject(new Error('failed')))
  giveBack()
  await expect(failing).rejects.toThrow('failed')
  expect(await semaphore.run(async () => semaphore.waiting())).toBe(0)
})
