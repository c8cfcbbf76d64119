import { setImmediate as tick } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { isMutexHeld, withMutex } from './mutex.ts'

test('acts for one key run one after the other, also after a failure, and others beside them', async () => {
  const seen: string[] = []
  const act = (key: string, name: string, fails = false) =>
    withMutex(key, async () => {
      seen.push(`${name} begins`)
      await tick()
      seen.push(`${name} ends`)
      if (fails) throw new Error(name)
    })
  const ends = await Promise.allSettled([act('one', 'a'), act('one', 'b', true), act('one', 'c')])
  expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends'])
  seen.length = 0
  await Promise.all([act('one', 'd'), act('other', 'e')])
  expect(seen).toEqual(['d begins', 'e begins', 'd ends', 'e ends'])
})

test('nobody waits beyond the bound, who is told to stop leaves, and nothing is held in the end', async () => {
  const bound = { limit: 1, full: () => new Error('full') }
  const { promise: free, resolve: release } = Promise.withResolvers<void>()
  const holder = withMutex('one', () => free, { bound })
  const stop = new AbortController()
  const stopped = withMutex('one', async () => 'never', { bound, signal: stop.signal })
  await expect(withMutex('one', async () => 'never', { bound })).rejects.toThrow('full')
  expect([isMutexHeld('one'), isMutexHeld('other')]).toEqual([true, false])
  stop.abort(new Error('stopped'))
  await expect(stopped).rejects.toThrow('stopped')
  release()
  await holder
  expect(isMutexHeld('one')).toBe(false)
})
