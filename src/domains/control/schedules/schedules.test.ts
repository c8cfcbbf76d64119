import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { connect } from '../../../../test/control/run-source.ts'
import { type Clock, DATABASES, makeTestHome, type TestHome } from '../../../../test/harness/test-hub.ts'
import { type Hub, openHub } from '../../../operations/hub.ts'
import { sql } from '../../../platform/storage/database.ts'
import { holdConnection, setConnectionStatus } from '../connections/connection-store.ts'
import { cancelRun } from '../runs/run-moves.ts'
import { findLiveRun, listRuns, lockRun, type RunRow } from '../runs/run-store.ts'
import { fireSchedules, mendSchedules } from './fire-schedules.ts'
import { nextRunAt, TimingFault } from './next-run.ts'
import {
  enableSchedule,
  findSchedule,
  putSchedule,
  removeSchedule,
  type ScheduleRow,
} from './schedule-store.ts'

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

  test('a next run that a wrong clock has set too far ahead is worked out anew, and one that is right is left', async () => {
    const hub = hubs[0] as Hub
    const nextOf = async (id: string) => (await findSchedule(hub.db, id))?.next_run_at
    const later = (seconds: number) => new Date((clock.now as Date).getTime() + seconds * 1_000).toISOString()
    pass(100 * 86_400)
    const every = await scheduled(600)
    const daily = await connect(hub, 'http://127.0.0.1:9')
    const paused = await scheduled()
    await hub.db.transaction(async (tx) => {
      await putSchedule(tx, daily, cron('0 3 * * *'), clock.now as Date)
      await enableSchedule(tx, (await findSchedule(tx, paused)) as ScheduleRow, false, clock.now as Date)
    })
    const right = [await nextOf(every), await nextOf(daily)]
    // A clock that is set right by less than a minute changes nothing.
    for (const seconds of [0, -59, 59]) {
      pass(seconds)
      await mendSchedules(hub)
      expect([await nextOf(every), await nextOf(daily)]).toEqual(right)
    }
    pass(-100 * 86_400)
    await Promise.all(hubs.map(mendSchedules))
    expect(await nextOf(every)).toBe(later(600))
    expect(await nextOf(daily)).toBe(nextRunAt(cron('0 3 * * *'), clock.now as Date).toISOString())
    expect(await nextOf(paused)).toBeNull()
    expect(await mendSchedules(hub)).toBe(0)
    pass(600)
    await fire()
    expect(await runsOf(every)).toHaveLength(1)
    await endRun(every)
  })

  /** A hub that finds what is due, and goes on with it only after something else has happened. */
  function lateHub(meanwhile: () => Promise<unknown>): Hub {
    const [hub] = hubs as [Hub]
    const all: typeof hub.db.all = async (statement, ...values) => {
      const found = await hub.db.all(statement, ...values)
      await meanwhile()
      return found
    }
    return { ...hub, db: Object.assign(Object.create(hub.db), { all }) }
  }

  test('a moment that was used, paused, moved or taken away before its turn starts nothing', async () => {
    const hub = hubs[0] as Hub
    const within = (act: Parameters<typeof hub.db.transaction>[0]) => hub.db.transaction(act)
    const changes: Record<string, (id: string) => Promise<unknown>> = {
      used: async (id) => {
        await fireSchedules(hubs[1] as Hub)
        await endRun(id)
      },
      paused: (id) =>
        within(async (tx) =>
          enableSchedule(tx, (await findSchedule(tx, id)) as ScheduleRow, false, clock.now as Date),
        ),
      moved: (id) =>
        within((tx) =>
          putSchedule(tx, id, { cron: null, interval_seconds: 90, timezone: 'UTC' }, clock.now as Date),
        ),
      'taken away': (id) => within((tx) => removeSchedule(tx, id)),
    }
    for (const [what, change] of Object.entries(changes)) {
      const connection_id = await scheduled()
      pass(60)
      let after: ScheduleRow | undefined
      await fireSchedules(
        lateHub(async () => {
          await change(connection_id)
          after = await findSchedule(hub.db, connection_id)
        }),
      )
      expect([what, (await runsOf(connection_id)).length]).toEqual([what, what === 'used' ? 1 : 0])
      expect([what, await findSchedule(hub.db, connection_id)]).toEqual([what, after])
    }
  })

  test('one that fails keeps no other from its time, and has its own again', async () => {
    const [hub] = hubs as [Hub]
    // The schedules of other tests would have their turn before.
    await hub.db.transaction((tx) => tx.run(sql('DELETE FROM connection_schedules')))
    const ids = [await scheduled(), await scheduled()]
    pass(60)
    let failed = 0
    const transaction = ((act: never) =>
      failed++ === 0
        ? Promise.reject(new Error('away'))
        : hub.db.transaction(act)) as typeof hub.db.transaction
    await fireSchedules({ ...hub, db: Object.assign(Object.create(hub.db), { transaction }) })
    const counts = async () => Promise.all(ids.map(async (id) => (await runsOf(id)).length))
    expect((await counts()).toSorted()).toEqual([0, 1])
    expect(home.logged.join('')).toContain('schedules')
    await fire()
    expect(await counts()).toEqual([1, 1])
  })

  test('a timing that has no next moment any more comes once, and then rests', async () => {
    const [hub] = hubs as [Hub]
    const connection_id = await scheduled()
    const spoil = sql(`UPDATE connection_schedules SET timezone = 'Mars/Olympus' WHERE connection_id = ?`)
    await hub.db.transaction((tx) => tx.run(spoil, connection_id))
    pass(60)
    await fire()
    expect(await runsOf(connection_id)).toHaveLength(1)
    expect(await findSchedule(hub.db, connection_id)).toMatchObject({ enabled: 1, next_run_at: null })
    await endRun(connection_id)
    pass(86_400)
    await fire()
    expect(await runsOf(connection_id)).toHaveLength(1)
  })
})

test('whoever holds the connection is waited for, with nothing in hand that they will want', async () => {
  const clock: Clock = { now: at('11-01T00:00:00') }
  await using home = await makeTestHome({ database: 'postgres', clock })
  const [hub, other] = [await openHub(home.options), await openHub(home.options)]
  try {
    const connection_id = await connect(hub, 'http://127.0.0.1:9')
    const timing = { cron: null, interval_seconds: 60, timezone: 'UTC' }
    await hub.db.transaction((tx) => putSchedule(tx, connection_id, timing, clock.now as Date))
    clock.now = at('11-01T00:01:00')
    const waiting = sql<{ n: number }>(
      `SELECT COUNT(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    )
    // A transaction that is thrown out of a deadlock is run once more, and nobody would see it.
    const begun = { holding: 0, firing: 0 }
    const transaction: typeof other.db.transaction = (work) =>
      other.db.transaction((tx) => (begun.firing++, work(tx)))
    const counting: Hub = { ...other, db: Object.assign(Object.create(other.db), { transaction }) }
    let fired: Promise<number> | undefined
    await hub.db.transaction(async (tx) => {
      begun.holding++
      await holdConnection(tx, connection_id)
      fired = fireSchedules(counting)
      await vi.waitFor(async () => expect(Number((await tx.get(waiting))?.n)).toBeGreaterThan(0), 20_000)
      await putSchedule(tx, connection_id, timing, clock.now as Date)
    })
    await fired
    expect(begun).toEqual({ holding: 1, firing: 1 })
    // The moment was moved on before its turn came.
    expect(await findLiveRun(hub.db, connection_id)).toBeUndefined()
    expect(home.logged.filter((line) => line.includes('schedules'))).toEqual([])
  } finally {
    await other.close()
    await hub.close()
  }
})
