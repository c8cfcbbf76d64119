import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Clock, DATABASES } from '../../../test/harness/test-hub.ts'
import { sql } from '../storage/database.ts'
import { LEASE_MS, type LeasePlace, leaseTime } from './lease-clock.ts'
import {
  addJobs,
  allJobs,
  endJob,
  expireJob,
  findFree,
  type JobClaim,
  jobStore,
  jobWork,
} from './work.fixture.ts'

const claim = (place: LeasePlace, job_id: string, owner: string) =>
  place.db.transaction((tx) => jobWork.claim(tx, place, { job_id }, owner))

describe.each(DATABASES)('leases on %s', (database) => {
  test('of many that claim at once, one gets the row', async () => {
    const open = await jobStore(database)
    const places = [await open(), await open(), await open()]
    const ids = Array.from({ length: 20 }, (_, at) => `job-${at}`)
    await addJobs(places[0] as LeasePlace, ids)
    const claims = await Promise.all(
      places.flatMap((place, at) => ids.map((job_id) => claim(place, job_id, `hub_${at}`))),
    )
    const taken = claims.filter((one) => one !== undefined)
    expect(taken.map(({ job_id }) => job_id).toSorted()).toEqual(ids.toSorted())
    expect(new Set(taken.map(({ fence }) => fence))).toEqual(new Set([1]))
  })

  test('who lost a row to another can neither renew, release nor end it', async () => {
    const open = await jobStore(database)
    const [one, other] = [await open(), await open()]
    await addJobs(one, ['a'])
    const old = (await claim(one, 'a', 'hub_one')) as JobClaim
    expect(await claim(other, 'a', 'hub_other')).toBeUndefined()
    await expireJob(one, 'a')
    const { now } = await leaseTime(other.db, other)
    const time = { now, until: now, far: '3000' }
    expect(await jobWork.listAbandoned(other.db, time, 5)).toEqual([{ job_id: 'a' }])
    const taken = (await claim(other, 'a', 'hub_other')) as JobClaim
    const before = await one.db.all(allJobs)
    const until = '2999-01-01T00:00:00.000Z'
    expect(await one.db.transaction((tx) => jobWork.renewEach(tx, [old], until))).toEqual([])
    expect(await one.db.transaction((tx) => jobWork.renewAll(tx, 'hub_one', until))).toEqual([])
    await one.db.transaction((tx) => jobWork.release(tx, old))
    expect(await endJob(one, old)).toBe(false)
    expect(await one.db.all(allJobs)).toEqual(before)
    expect(await jobWork.listHeld(one.db, 'hub_other')).toEqual([taken])
    await other.db.transaction((tx) => jobWork.release(tx, taken))
    expect(await claim(one, 'a', 'hub_one')).toEqual({ job_id: 'a', fence: 3 })
  })

  test('a lease from a clock that was far ahead holds nothing up', async () => {
    const place = await (await jobStore(database))()
    await addJobs(place, ['a'])
    const held = (await claim(place, 'a', 'hub_one')) as JobClaim
    await place.db.transaction((tx) => jobWork.renewEach(tx, [held], '2999-01-01T00:00:00.000Z'))
    expect(await claim(place, 'a', 'hub_other')).toEqual({ job_id: 'a', fence: 2 })
  })
})

describe.each(DATABASES)('beside a hub of the version before on %s', (database) => {
  // Its ways to let go: nobody and no lease, or a lease that is over with its name left in the row.
  test.each([
    ['NULL', 'NULL'],
    [`'hub_old'`, `'0'`],
    [`'hub_old'`, `'2026-01-01T00:00:00.000Z'`],
  ])('a row with owner %s and lease %s is free, and one that it holds is not', async (owner, lease) => {
    const place = await (await jobStore(database))()
    await addJobs(place, ['let-go', 'held'])
    const leave = sql(
      `UPDATE test_jobs SET owner = ${owner}, lease_until = ${lease}, fence = 4 WHERE job_id = 'let-go'`,
    )
    const hold = sql(
      `UPDATE test_jobs SET owner = 'hub_old', lease_until = ?, fence = 4 WHERE job_id = 'held'`,
    )
    const until = new Date(Date.now() + LEASE_MS).toISOString()
    await place.db.transaction(async (tx) => [await tx.run(leave), await tx.run(hold, until)])
    expect(await claim(place, 'let-go', 'hub_new')).toEqual({ job_id: 'let-go', fence: 5 })
    expect(await claim(place, 'held', 'hub_new')).toBeUndefined()
  })

  test('a row that was let go is free for its statements, and one that is held is not', async () => {
    const place = await (await jobStore(database))()
    await addJobs(place, ['let-go', 'held'])
    const released = (await claim(place, 'let-go', 'hub_new')) as JobClaim
    await claim(place, 'held', 'hub_new')
    await place.db.transaction((tx) => jobWork.release(tx, released))
    for (const condition of ['owner IS NULL OR lease_until < ?', 'lease_until < ?']) {
      const free = sql<{ job_id: string }>(`SELECT job_id FROM test_jobs WHERE ${condition}`)
      expect(await place.db.all(free, new Date().toISOString())).toEqual([{ job_id: 'let-go' }])
    }
  })
})

test('on PostgreSQL a hub whose own clock is wrong takes nothing from anybody, and holds what it has', async () => {
  const clock: Clock = {}
  const open = await jobStore('postgres', clock)
  const [wrong, right] = [await open(), await open()]
  await addJobs(right, ['a', 'b'])
  const held = (await claim(right, 'a', 'hub_right')) as JobClaim
  for (const offset_ms of [3 * LEASE_MS, 86_400_000, -86_400_000]) {
    clock.now = new Date(Date.now() + offset_ms)
    expect(await claim(wrong, 'a', 'hub_wrong')).toBeUndefined()
    const mine = (await claim(wrong, 'b', 'hub_wrong')) as JobClaim
    clock.now = undefined
    expect(await claim(right, 'b', 'hub_right')).toBeUndefined()
    await wrong.db.transaction((tx) => jobWork.release(tx, mine))
  }
  expect(await jobWork.listHeld(right.db, 'hub_right')).toEqual([held])
})

const WORKERS = 3
const step = fc.record({
  act: fc.constantFrom(
    'claim',
    'claim',
    'claim',
    'renew',
    'renew_all',
    'release',
    'end',
    'forget',
    'wait',
    'wait_long',
  ),
  worker: fc.nat(WORKERS - 1),
  job: fc.constantFrom('a', 'b'),
})
type Step = typeof step extends fc.Arbitrary<infer Value> ? Value : never

/** What a lease is, without a store: who holds a job until when, and how often it was claimed. */
interface Model {
  holder: number | undefined
  until: number
  fence: number
  ended: boolean
}

test('whatever workers do and however long they are silent, a job is in no two hands', async () => {
  const clock: Clock = { now: new Date('2026-11-01T00:00:00.000Z') }
  const place = await (await jobStore('sqlite', clock))()
  const now = () => (clock.now as Date).getTime()
  let round = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
      round++
      const nameOf = (job: string) => `${job}-${round}`
      await addJobs(place, [nameOf('a'), nameOf('b')])
      const models = new Map<string, Model>()
      for (const job of ['a', 'b']) models.set(job, { holder: undefined, until: 0, fence: 0, ended: false })
      // Every claim ever made: each but the newest must count for nothing.
      const claims: { worker: number; job: string; claim: JobClaim }[] = []
      for (const one of steps) await take(one, models, claims, nameOf)
      for (const { job, claim: old } of claims) {
        const model = models.get(job) as Model
        if (old.fence !== model.fence) expect(await endJob(place, old)).toBe(false)
      }
      const time = await leaseTime(place.db, place)
      const free = (await findFree(place, time.now, 1_000)).map(({ job_id }) => job_id)
      for (const [job, model] of models) {
        const isFree = !model.ended && (model.holder === undefined || model.until < now())
        expect(free.includes(nameOf(job))).toBe(isFree)
      }
      for (const job of models.keys()) await endLeft(nameOf(job))
    }),
    { numRuns: 120 },
  )

  async function take(
    { act, worker, job }: Step,
    models: Map<string, Model>,
    claims: { worker: number; job: string; claim: JobClaim }[],
    nameOf: (job: string) => string,
  ): Promise<void> {
    const model = models.get(job) as Model
    const owner = `hub_${worker}`
    const until = new Date(now() + LEASE_MS).toISOString()
    const mine = claims.findLast((one) => one.worker === worker && one.job === job)?.claim
    const isMine = mine?.fence === model.fence && !model.ended && model.holder === worker
    if (act === 'claim') {
      const isFree = !model.ended && (model.holder === undefined || model.until < now())
      const made = await claim(place, nameOf(job), owner)
      expect(made !== undefined).toBe(isFree)
      if (!made) return
      claims.push({ worker, job, claim: made })
      Object.assign(model, { holder: worker, until: now() + LEASE_MS, fence: model.fence + 1 })
      expect(made.fence).toBe(model.fence)
    } else if (act === 'renew' && mine) {
      const kept = await place.db.transaction((tx) => jobWork.renewEach(tx, [mine], until))
      // Who comes late but before anybody else keeps what it had.
      const isKept = mine.fence === model.fence && !model.ended && model.holder !== undefined
      expect(kept.length).toBe(isKept ? 1 : 0)
      if (isKept) Object.assign(model, { until: now() + LEASE_MS })
    } else if (act === 'renew_all') {
      await place.db.transaction((tx) => jobWork.renewAll(tx, owner, until))
      for (const each of models.values())
        if (each.holder === worker && !each.ended) each.until = now() + LEASE_MS
    } else if (act === 'release' && mine) {
      await place.db.transaction((tx) => jobWork.release(tx, mine))
      if (isMine) model.holder = undefined
    } else if (act === 'end' && mine) {
      const isLast = mine.fence === model.fence && !model.ended
      expect(await endJob(place, mine)).toBe(isLast)
      if (isLast) model.ended = true
    } else if (act === 'wait' || act === 'wait_long') {
      clock.now = new Date(now() + (act === 'wait' ? 3_000 : 11_000))
    }
  }

  async function endLeft(job_id: string): Promise<void> {
    clock.now = new Date(now() + 60_000)
    const left = await claim(place, job_id, 'hub_x')
    if (left) await endJob(place, left)
  }
}, 120_000)
