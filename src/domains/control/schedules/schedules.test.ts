import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connect } from '../../../../test/control/run-source.ts'
import { type Clock, DATABASES, makeTestHome, type TestHome } from '../../../../test/harness/test-hub.ts'
import { type Hub, openHub } from '../../../operations/hub.ts'
import { setConnectionStatus } from '../connections/connection-store.ts'
import { cancelRun } from '../runs/run-moves.ts'
import { findLiveRun, listRuns, lockRun, type RunRow } from '../runs/run-store.ts'
import { fireSchedules } from './fire-schedules.ts'
import { nextRunAt, TimingFault } from './next-run.ts'
import { enableSchedule, findSchedule, putSchedule, type ScheduleRow } from './schedule-store.ts'

const at = (text: string) => new Date(`2026-${text}Z`)
const cron = (line: string, timezone = 'UTC') => ({ cron: line, interval_seconds: null, timezone })

describe('the next moment', () => {
  test('of a cron line is in its own time zone, whatever the clocks do', () => {
    const paris = cron('30 2 * * *', 'Europe/Paris')
    expect(nextRunAt(cron('0 3 * * *'), at('11-01T02:59:59')).toISOString()).toBe('2026-11-01T03:00:00.000Z')
    expect(nextRunAt(paris, at('03-28T00:00:00')).toISOString()).toBe('2026-03-28T01:30:00.000Z')
    // Half past two does not exist in that night.
    expect(nextRunAt(paris, at('03-28T12:00:00')).toISOString()).toBe('2026-03-29T01:00:00.000Z')
    expect(nextRunAt(paris, at('03-29T12:00:00')).toISOString()).toBe('2026-03-30T00:30:00.000Z')
  })

  test('always comes, and comes later; else the line is refused', () => {
    const field = fc.constantFrom('*', '0', '5', '*/7', '1-5', '31', '2,4', '99', 'x', '?', 'L', '')
    fc.assert(
      fc.property(fc.array(field, { minLength: 3, maxLength: 7 }), fc.nat(1_000_000), (fields, minutes) => {
        const now = new Date(at('01-01T00:00:00').getTime() + minutes * 60_000)
        try {
          expect(nextRunAt(cron(fields.join(' ')), now).getTime()).toBeGreaterThan(now.getTime())
          expect(fields.length).toBe(5)
        } catch (error) {
          expect(error).toBeInstanceOf(TimingFault)
        }
      }),
      { numRuns: 500 },
    )
  })

  test('of an interval is so much later', () => {
    const timing = { cron: null, interval_seconds: 90, timezone: 'UTC' }
    expect(nextRunAt(timing, at('11-01T00:00:00')).toISOString()).toBe('2026-11-01T00:01:30.000Z')
  })
})

describe.each(DATABASES)('schedules on %s', (database) => {
  const clock: Clock = { now: at('11-01T00:00:00') }
  let home: TestHome
  const hubs: Hub[] = []
  beforeAll(async () => {
    home = await makeTestHome({ database, clock })
    hubs.push(await openHub(home.options), await openHub(home.options))
  })
  afterAll(async () => {
    for (const hub of hubs.splice(0)) await hub.close()
    await home[Symbol.asyncDispose]()
  })
  const pass = (seconds: number) => (clock.now = new Date((clock.now as Date).getTime() + seconds * 1_000))
  const fire = () => Promise.all([...hubs, ...hubs].map(fireSchedules))
  const runsOf = (connection_id: string) =>
    listRuns((hubs[0] as Hub).db, { connection_id, after: { at: '~', id: '~' }, limit: 100 })

  async function scheduled(interval_seconds = 60): Promise<string> {
    const hub = hubs[0] as Hub
    const connection_id = await connect(hub, 'http://127.0.0.1:9')
    const timing = { cron: null, interval_seconds, timezone: 'UTC' }
    await hub.db.transaction((tx) => putSchedule(tx, connection_id, timing, clock.now as Date))
    return connection_id
  }
  async function endRun(connection_id: string): Promise<void> {
    const hub = hubs[0] as Hub
    const { run_id } = (await findLiveRun(hub.db, connection_id)) as RunRow
    await hub.db.transaction(async (tx) => cancelRun(tx, hub, (await lockRun(tx, run_id)) as RunRow))
  }

  test('two hubs that look at once start one run, and not before its time', async () => {
    const connection_id = await scheduled()
    pass(59)
    await fire()
    expect(await runsOf(connection_id)).toEqual([])
    pass(1)
    await fire()
    expect(await runsOf(connection_id)).toMatchObject([{ cause: 'schedule', state: 'queued' }])
    await endRun(connection_id)
    await fire()
    expect(await runsOf(connection_id)).toHaveLength(1)
    pass(60)
    await fire()
    expect(await runsOf(connection_id)).toHaveLength(2)
    await endRun(connection_id)
  })

  test('what was missed is made up for once', async () => {
    const connection_id = await scheduled()
    pass(86_400)
    await fire()
    await fire()
    expect(await runsOf(connection_id)).toHaveLength(1)
    const schedule = await findSchedule((hubs[0] as Hub).db, connection_id)
    expect(schedule?.next_run_at).toBe(new Date((clock.now as Date).getTime() + 60_000).toISOString())
    await endRun(connection_id)
  })

  test('what is paused, revoked or still running starts nothing, and holds up nobody', async () => {
    const [paused, revoked, busy, plain] = [
      await scheduled(),
      await scheduled(),
      await scheduled(),
      await scheduled(120),
    ]
    const hub = hubs[0] as Hub
    await hub.db.transaction(async (tx) => {
      const found = (await findSchedule(tx, paused)) as ScheduleRow
      await enableSchedule(tx, found, false, clock.now as Date)
      await setConnectionStatus(tx, revoked, 'revoked', clock.now as Date)
    })
    pass(60)
    await fire()
    pass(60)
    await fire()
    const counts = await Promise.all(
      [paused, revoked, busy, plain].map(async (id) => (await runsOf(id)).length),
    )
    expect(counts).toEqual([0, 0, 1, 1])
  })
})
