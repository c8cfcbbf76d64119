import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Refusal } from '../../../operations/errors.ts'
import { whileActivated } from './while-activated.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const whole = new AbortController().signal
const later = (value: string) => new Promise<string>((done) => setTimeout(() => done(value), 60_000))

test('a store that does not answer is asked once, and ends nothing', async () => {
  const activated = vi.fn(() => new Promise<never>(() => {}))
  const call = whileActivated(activated, whole, () => later('done'))
  await vi.advanceTimersByTimeAsync(60_000)
  expect([await call, activated.mock.calls.length]).toEqual(['done', 1])
})

test('a store that fails is asked again, and ends nothing', async () => {
  const activated = vi.fn(async () => Promise.reject(new Error('gone')))
  const call = whileActivated(activated, whole, () => later('done'))
  await vi.advanceTimersByTimeAsync(60_000)
  expect(await call).toBe('done')
  expect(activated.mock.calls.length).toBeGreaterThan(100)
})

test('however a call ends, nothing of it is left behind', async () => {
  const { signal } = new AbortController()
  const refusal = new Refusal('FLOW_EXTERNAL_GRANT_REVOKED')
  const activated = vi.fn(async () => Promise.reject(refusal))
  const stopped = whileActivated(
    activated,
    signal,
    (stop) => new Promise((_, fail) => stop.addEventListener('abort', () => fail(new Error('cancelled')))),
  ).catch((error: unknown) => error)
  await vi.advanceTimersByTimeAsync(1_000)
  expect(await stopped).toBe(refusal)
  expect(await whileActivated(activated, signal, async () => 'at once')).toBe('at once')
  expect([vi.getTimerCount(), getEventListeners(signal, 'abort')]).toEqual([0, []])
})
