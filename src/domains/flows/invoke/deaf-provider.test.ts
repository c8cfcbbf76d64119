import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Refusal } from '../../../operations/errors.ts'
import { whileActivated } from './while-activated.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const revoked = new Refusal('FLOW_EXTERNAL_GRANT_REVOKED')
const whole = new AbortController().signal
const later = <Value>(give: () => Value) =>
  new Promise<Value>((done, fail) =>
    setTimeout(() => {
      try {
        done(give())
      } catch (error) {
        fail(error)
      }
    }, 5_000),
  )

const fails = () =>
  later(() => {
    throw new Error('the upstream broke')
  })

/** Conditions that hold when a call begins, and are gone at the first look after it. */
function revokedMeanwhile() {
  const activated = vi.fn(async () => {
    throw revoked
  })
  return activated
}

test('a provider that ignores the abort and answers all the same does not reach the caller', async () => {
  const call = whileActivated(revokedMeanwhile(), whole, () => later(() => 'an answer')).catch(
    (error) => error,
  )
  await vi.advanceTimersByTimeAsync(5_000)
  expect(await call).toBe(revoked)
})

test('a provider that ignores the abort and fails for a reason of its own: the caller hears of the revoke', async () => {
  const call = whileActivated(revokedMeanwhile(), whole, fails).catch((error) => error)
  await vi.advanceTimersByTimeAsync(5_000)
  expect(await call).toBe(revoked)
})

test('the provider is told with the reason, and a failure without a revoke stays what it is', async () => {
  let reason: unknown
  const call = whileActivated(revokedMeanwhile(), whole, (signal) => {
    signal.addEventListener('abort', () => void (reason = signal.reason))
    return later(() => 'an answer')
  }).catch((error) => error)
  await vi.advanceTimersByTimeAsync(5_000)
  expect([await call, reason]).toEqual([revoked, revoked])
  const own = new Error('the upstream broke')
  await expect(
    whileActivated(
      async () => undefined,
      whole,
      () => Promise.reject(own),
    ),
  ).rejects.toBe(own)
})

test('an abort of the caller, before or during the call, reaches the provider with its reason', async () => {
  for (const early of [true, false]) {
    const caller = new AbortController()
    if (early) caller.abort('gone')
    const call = whileActivated(
      async () => undefined,
      caller.signal,
      async (signal) => {
        if (!early) caller.abort('gone')
        return [signal.aborted, signal.reason]
      },
    )
    expect(await call).toEqual([true, 'gone'])
  }
})
