import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { DATABASES } from '../../../test/harness/test-hub.ts'
import type { LeasePlace } from './lease-clock.ts'
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
import { type Task, type WorkKind, WorkStopped } from './work-kind.ts'
import { openWorker } from './worker.ts'

/** Longer than any lease lasts, whatever else the machine does. */
const PATIENCE = { timeout: 60_000, interval: 50 }
type Kind = WorkKind<'job_id', JobClaim>

const kindOf = (place: LeasePlace, changes: Partial<Kind> & Pick<Kind, 'work'>): Kind => ({
  ...place,
  table: jobWork,
  slots: 3,
  find: ({ now }, limit) => findFree(place, now, limit),
  claim: (tx, key, owner) => jobWork.claim(tx, place, key, owner),
  onFault: (error) => {
    throw error
  },
  ...changes,
})

/** Work that goes on until it is told to stop, and tells why. */
function waiting() {
  const begun: Task<JobClaim>[] = []
  const work = async (task: Task<JobClaim>) => {
    begun.push(task)
    if (!task.signal.aborted) await new Promise((told) => task.signal.addEventListener('abort', told))
  }
  const reasons = () => begun.map(({ signal }) => (signal.reason as WorkStopped | undefined)?.why)
  return { begun, work, reasons }
}

describe.each(DATABASES)('a worker on %s', (database) => {
  test('has no more in hand than it has slots, and does everything in the end by itself', async () => {
    const place = await (await jobStore(database))()
    const ids = Array.from({ length: 9 }, (_, at) => `job-${at}`)
    await addJobs(place, ids)
    const done: string[] = []
    let most = 0
    const worker = openWorker(
      kindOf(place, {
        async work({ claim }) {
          most = Math.max(most, worker.held().length)
          await pause(5)
          done.push(claim.job_id)
          await endJob(place, claim)
        },
      }),
    )
    // One look: what there was no room for is taken up as room comes.
    worker.wake()
    await vi.waitFor(() => expect(done.toSorted()).toEqual(ids), PATIENCE)
    expect(most).toBe(3)
    await worker.close()
  })

  test('keeps what it works on for longer than a lease, and stops what another has taken', async () => {
    const open = await jobStore(database)
    const [place, other] = [await open(), await open()]
    await addJobs(place, ['a'])
    const { begun, work, reasons } = waiting()
    const worker = openWorker(kindOf(place, { work }))
    await worker.look()
    const [before] = await place.db.all(allJobs)
    await vi.waitFor(async () => {
      const [row] = await other.db.all(allJobs)
      expect([row?.fence, (row?.lease_until ?? '') > (before?.lease_until ?? '')]).toEqual([1, true])
    }, PATIENCE)
    expect(begun[0]?.left_ms()).toBeGreaterThan(0)
    await expireJob(other, 'a')
    const taken = await other.db.transaction((tx) => jobWork.claim(tx, other, { job_id: 'a' }, 'hub_other'))
    expect(taken).toEqual({ job_id: 'a', fence: 2 })
    await vi.waitFor(() => expect(reasons()).toEqual(['lost']), PATIENCE)
    expect(await begun[0]?.renew()).toBe(false)
    await worker.close()
    expect(await jobWork.listHeld(other.db, 'hub_other')).toEqual([taken])
  })

  test('stops what nobody wants any more as soon as it is woken', async () => {
    const place = await (await jobStore(database))()
    await addJobs(place, ['a'])
    const { begun, work, reasons } = waiting()
    const worker = openWorker(kindOf(place, { work }))
    await worker.look()
    await endJob(place, (begun[0] as Task<JobClaim>).claim)
    worker.wake()
    await vi.waitFor(() => expect(reasons()).toEqual(['lost']), PATIENCE)
    await vi.waitFor(() => expect(worker.settled({ job_id: 'a' })).toBeUndefined(), PATIENCE)
    await worker.close()
  })

  test('whose work has failed leaves it to run out, and renews it no more', async () => {
    const place = await (await jobStore(database))()
    await addJobs(place, ['broken', 'sound'])
    const faults: unknown[] = []
    const { work } = waiting()
    const worker = openWorker(
      kindOf(place, {
        work: (task) => (task.claim.job_id === 'broken' ? Promise.reject(new Error('broken')) : work(task)),
        onFault: (error) => faults.push(error),
      }),
    )
    await worker.look()
    const tries = async () => (await place.db.all(allJobs)).map(({ fence }) => fence)
    await vi.waitFor(async () => {
      await worker.look()
      // Another try of the one that failed, while the sound one beside it is still in its first hands.
      expect((await tries())[0]).toBeGreaterThan(1)
    }, PATIENCE)
    expect([(await tries())[1], String(faults[0])]).toEqual([1, 'Error: broken'])
    await worker.close()
  }, 90_000)

  test('that closes tells its work, waits for it, begins nothing more and lets go', async () => {
    const place = await (await jobStore(database))()
    await addJobs(place, ['a', 'b'])
    const { begun, work, reasons } = waiting()
    const order: string[] = []
    const worker = openWorker(
      kindOf(place, {
        slots: 1,
        work: (task) => work(task).then(() => void order.push('ended')),
        releaseAll: async () => void order.push('released'),
      }),
    )
    // It is asked to close while it is claiming.
    const looking = worker.look()
    await worker.close()
    await looking
    await worker.look()
    worker.wake()
    worker.start({ job_id: 'b', fence: 9 })
    await worker.take({ job_id: 'b' })
    expect([begun.map(({ claim }) => claim.job_id), reasons(), order]).toEqual([
      ['a'],
      ['closing'],
      ['ended', 'released'],
    ])
    expect(worker.hasRoom()).toBe(false)
  })

  test('rests while it may begin nothing, and breaks off what must stop', async () => {
    const place = await (await jobStore(database))()
    await addJobs(place, ['a'])
    let isLocked = true
    const { begun, work, reasons } = waiting()
    const asked = async () => isLocked
    const worker = openWorker(kindOf(place, { work, mayBeginNothing: asked, mustBreakOff: asked }))
    await worker.look()
    expect(begun).toEqual([])
    isLocked = false
    await worker.look()
    isLocked = true
    await vi.waitFor(() => expect(reasons()).toEqual(['locked']), PATIENCE)
    await worker.close()
  })
})
