import { Worker } from 'node:worker_threads'
import { expect, test } from 'vitest'
import { createClock, doTimed, usedMs } from './operation-clock.ts'

const LIMIT_MS = 100

/** A thread that is at one operation until it is ended: computing, or waiting for nothing. */
async function startOperation(act: string): Promise<{ clock: BigInt64Array; end(): Promise<number> }> {
  const clock = createClock()
  const program = `
    const { workerData: clock, parentPort } = require('node:worker_threads')
    import(${JSON.stringify(new URL('./operation-clock.ts', import.meta.url).href)}).then(({ doTimed, enterThread }) => {
      enterThread(clock)
      doTimed(clock, () => { parentPort.postMessage('begun'); ${act} })
    })`
  const worker = new Worker(program, { eval: true, execArgv: [], workerData: clock })
  await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
  return { clock, end: () => worker.terminate() }
}

function waitUntil(is: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      if (is()) resolve(clearInterval(timer))
    }, 5)
  })
}

test('nothing is used between operations', () => {
  const clock = createClock()
  expect(usedMs(clock, LIMIT_MS)).toBe(0)
  expect(doTimed(clock, () => usedMs(clock, LIMIT_MS))).toBeGreaterThan(0)
  expect(usedMs(clock, LIMIT_MS)).toBe(0)
  expect(() => doTimed(clock, () => JSON.parse('{'))).toThrow()
  expect(usedMs(clock, LIMIT_MS)).toBe(0)
})

test('an operation that computes uses up its time', async () => {
  const { clock, end } = await startOperation('for (;;);')
  await waitUntil(() => usedMs(clock, LIMIT_MS) >= LIMIT_MS)
  await end()
})

test('one that is kept from computing uses less, until its patience ends', async () => {
  const { clock, end } = await startOperation('Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)')
  const seen: number[] = []
  await waitUntil(() => {
    seen.push(usedMs(clock, 20))
    return (seen.at(-1) as number) >= 500
  })
  await end()
  expect(seen.filter((used) => used > 20 && used < 500)).toEqual([])
})
