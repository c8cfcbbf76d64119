import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { connect } from '../../../../test/control/run-source.ts'
import { type Clock, makeTestHome } from '../../../../test/harness/test-hub.ts'
import { openHub } from '../../../operations/hub.ts'
import { realSystem } from '../../../platform/basics/system.ts'
import { SourceFault } from '../connectors/connector.ts'
import { asSourceFault, faultOf, retryAt } from './run-fault.ts'
import { claimRun, retryLater } from './run-moves.ts'
import { findRun, type RunRow, startRun } from './run-store.ts'

const NOW = new Date('2026-11-01T00:00:00.000Z')
const system = { ...realSystem, now: () => NOW }
const waitOf = (attempt: number, asked?: number) =>
  (Date.parse(retryAt(system, attempt, asked)) - NOW.getTime()) / 1_000

test('waits grow with each attempt, are spread out, and have an end', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), (attempt) => {
      const longest = Math.min(3_600, 5 * 2 ** (attempt - 1))
      expect(waitOf(attempt)).toBeGreaterThanOrEqual(longest / 2 - 0.001)
      expect(waitOf(attempt)).toBeLessThanOrEqual(longest)
    }),
  )
  expect(new Set(Array.from({ length: 20 }, () => waitOf(5))).size).toBeGreaterThan(1)
})

test('a source that says when is taken at its word, within reason', () => {
  expect([waitOf(1, 120), waitOf(4, 120), waitOf(1, 1_000_000)]).toEqual([120, 120, 3_600])
})

test('what is kept of a fault is one short line', () => {
  const { code, text } = faultOf(new SourceFault('refused', `no\r\n\u0000${'x'.repeat(1_000)}`))
  expect([code, text.length, text.startsWith('no x')]).toEqual(['refused', 300, true])
  const foreign = Object.assign(new Error('from another copy'), { name: 'SourceFault', code: 'rate_limited' })
  expect(asSourceFault(foreign)).toBe(foreign)
  for (const other of [new Error('x'), null, 'SourceFault', { name: 'SourceFault', code: 'nonsense' }])
    expect(asSourceFault(other)).toBe(undefined)
})

test('a run is tried five times, and then has failed with the last fault', async () => {
  const clock: Clock = { now: NOW }
  const home = await makeTestHome({ clock })
  const hub = await openHub(home.options)
  onTestFinished(async () => {
    await hub.close()
    await home[Symbol.asyncDispose]()
  })
  const connection_id = await connect(hub, 'http://127.0.0.1:9')
  const wanted = { connection_id, cause: 'owner', requested_by: 'test' } as const
  const { run_id } = (await hub.db.transaction((tx) => startRun(tx, hub, wanted))) as { run_id: string }
  const states: string[] = []
  for (let attempt = 1; attempt <= 5; attempt++) {
    const row = (await hub.db.transaction((tx) => claimRun(tx, hub, run_id, 'hub'))) as RunRow
    const run_at = retryAt(hub.system, attempt)
    const fault = { code: 'unreachable', text: 'away' }
    states.push((await hub.db.transaction((tx) => retryLater(tx, hub, row, fault, run_at))).state)
    // Not before its time.
    if (attempt < 5)
      expect(await hub.db.transaction((tx) => claimRun(tx, hub, run_id, 'hub'))).toBe(undefined)
    clock.now = new Date(run_at)
  }
  expect(states).toEqual(['queued', 'queued', 'queued', 'queued', 'failed'])
  expect(await findRun(hub.db, run_id)).toMatchObject({
    attempt: 5,
    fault_code: 'unreachable',
    live_key: null,
  })
})
