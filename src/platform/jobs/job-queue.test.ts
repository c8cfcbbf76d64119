import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { DATABASES } from '../../../test/harness/test-hub.ts'
import { carrierPlace } from './carriers.fixture.ts'
import { type Carrier, type Job, openJobQueue, type Ticket } from './job-queue.ts'

/** Longer than any lease lasts, whatever else the machine does. */
const TAKE_OVER = { timeout: 60_000, interval: 250 }
const ids = (tickets: readonly Ticket[]) => tickets.map(({ job_id }) => job_id)

/** Returns when the clock has gone on: what is added within one moment has no order. */
async function nextMoment(): Promise<void> {
  const now = Date.now()
  await vi.waitFor(() => expect(Date.now()).toBeGreaterThan(now), { interval: 1 })
}

async function claimAtLast(carrier: Carrier): Promise<Ticket> {
  return vi.waitFor(async () => {
    const [ticket] = await carrier.claim(1)
    if (!ticket) throw new Error('nothing to claim yet')
    return ticket
  }, TAKE_OVER)
}

describe.each(DATABASES)('jobs carried on %s', (database) => {
  test('what is added twice is there once, and goes to one worker only, the oldest first', async () => {
    const open = await carrierPlace(database)
    const [one, other] = [await open(), await open()]
    // Their names stand the other way round, so that only the time can tell which is the oldest.
    for (const job_id of ['c', 'b', 'a']) {
      await one.add([job_id])
      await nextMoment()
    }
    await other.add(['c', 'b'])
    const first = await one.claim(2)
    expect(ids(first).toSorted()).toEqual(['b', 'c'])
    await one.add(['b', 'c'])
    expect(ids(await other.claim(5))).toEqual(['a'])
    expect(await one.claim(5)).toEqual([])
    expect(await one.renew(first)).toEqual(first)
  })

  test('of workers that ask at once, each gets jobs of its own', async () => {
    const open = await carrierPlace(database)
    const carriers = await Promise.all([open(), open(), open()])
    const wanted = Array.from({ length: 60 }, (_, at) => `job-${at}`)
    await carriers[0]?.add(wanted)
    const claims = await Promise.all(
      Array.from({ length: 30 }, (_, at) => (carriers[at % 3] as Carrier).claim(4)),
    )
    expect(claims.flatMap(ids).toSorted()).toEqual(wanted.toSorted())
  })

  test('what has ended may come again', async () => {
    const carrier = await (await carrierPlace(database))()
    await carrier.add(['a'])
    const [ticket] = await carrier.claim(1)
    await carrier.finish(ticket as Ticket)
    expect(await carrier.claim(1)).toEqual([])
    expect(await carrier.renew([ticket as Ticket])).toEqual([])
    await carrier.add(['a'])
    expect(ids(await carrier.claim(1))).toEqual(['a'])
  })

  test('a silent worker loses its job to another, and can neither keep nor end it', async () => {
    const open = await carrierPlace(database)
    const [silent, other] = [await open(), await open()]
    await silent.add(['a', 'kept'])
    const held = await silent.claim(2)
    const stale = held.find(({ job_id }) => job_id === 'a') as Ticket
    const kept = held.find(({ job_id }) => job_id === 'kept') as Ticket
    const beat = setInterval(() => void silent.renew([kept]), 1_000)
    const taken = await claimAtLast(other).finally(() => clearInterval(beat))
    expect(taken.job_id).toBe('a')
    expect(await silent.renew([stale, kept])).toEqual([kept])
    await silent.finish(stale)
    expect(await other.renew([taken])).toEqual([taken])
    await other.finish(taken)
    await silent.add(['a'])
    expect(ids(await silent.claim(1))).toEqual(['a'])
  }, 90_000)

  test('a queue works on no more at once than it has hands, and on everything in the end', async () => {
    const carrier = await (await carrierPlace(database))()
    const wanted = Array.from({ length: 9 }, (_, at) => `job-${at}`)
    const done: string[] = []
    let most = 0
    const queue = openJobQueue(carrier, {
      slots: 3,
      async work({ job_id }) {
        most = Math.max(most, queue.busy)
        await pause(5)
        done.push(job_id)
      },
      onFault: (error) => {
        throw error
      },
    })
    await queue.add(wanted)
    await vi.waitFor(async () => {
      // Two that look at the same time have the same free hands in view.
      await Promise.all([queue.look(), queue.look()])
      expect(done.toSorted()).toEqual(wanted)
    }, TAKE_OVER)
    expect(most).toBe(3)
    await queue.close()
  })

  test('a queue that closes tells its work, waits for it and begins nothing more', async () => {
    const open = await carrierPlace(database)
    const carrier = await open()
    const begun: Job[] = []
    const work = async (job: Job) => {
      begun.push(job)
      await new Promise((told) => job.signal.addEventListener('abort', told))
    }
    const queue = openJobQueue({ ...carrier, close: async () => {} }, { slots: 1, work, onFault: () => {} })
    await queue.add(['a', 'b'])
    await queue.look()
    await vi.waitFor(() => expect(begun).toHaveLength(1), TAKE_OVER)
    await queue.close()
    await queue.look()
    expect(begun.map(({ job_id, signal }) => [job_id, signal.reason])).toEqual([['a', 'closing']])
    expect(ids(await carrier.claim(5))).toEqual(['b'])
  })

  test('a queue that closes lets go of its carrier last, whatever was still on its way', async () => {
    const carrier = await (await carrierPlace(database))()
    const order: string[] = []
    const { promise: asked, resolve: go } = Promise.withResolvers<void>()
    const slow: Carrier = {
      ...carrier,
      claim: async (limit) => (await asked, carrier.claim(limit)),
      finish: async (ticket) => (await carrier.finish(ticket), void order.push('finished')),
      close: async () => void order.push('closed'),
    }
    const work = async ({ signal }: Job) => {
      order.push('begun')
      if (!signal.aborted) await new Promise((told) => signal.addEventListener('abort', told))
      for (let turn = 0; turn < 20; turn++) await new Promise((next) => setImmediate(next))
      order.push('ended')
    }
    const queue = openJobQueue(slow, { slots: 1, work, onFault: (error) => order.push(String(error)) })
    await queue.add(['a'])
    const looking = queue.look()
    const closing = queue.close()
    go()
    await Promise.all([looking, closing])
    expect(order).toEqual(['begun', 'ended', 'finished', 'closed'])
  })

  test('work whose job is lost is told so, and its end lets go of nothing that came after it', async () => {
    const carrier = await (await carrierPlace(database))()
    const [tickets, begun, ended]: [Ticket[], Job[], Ticket[]] = [[], [], []]
    const watched: Carrier = {
      ...carrier,
      claim: async (limit) => (await carrier.claim(limit)).map((ticket) => (tickets.push(ticket), ticket)),
      finish: (ticket) => carrier.finish(ticket).finally(() => ended.push(ticket)),
    }
    const work = async (job: Job) => {
      begun.push(job)
      if (!job.signal.aborted) await new Promise((told) => job.signal.addEventListener('abort', told))
    }
    const queue = openJobQueue(watched, { slots: 3, work, onFault: () => {} })
    const begin = async (job_id: string, count: number) => {
      await queue.add([job_id])
      await queue.look()
      await vi.waitFor(() => expect(begun).toHaveLength(count), TAKE_OVER)
    }
    await begin('a', 1)
    await begin('b', 2)
    await carrier.finish(tickets[0] as Ticket)
    await begin('a', 3)
    const reasons = () => begun.slice(0, 3).map(({ signal }) => signal.reason)
    // The same job came again, so the work of before is over at once.
    expect(reasons()).toEqual(['lost', undefined, undefined])
    await vi.waitFor(() => expect(ended).toEqual(tickets.slice(0, 1)), TAKE_OVER)
    await new Promise((turn) => setImmediate(turn))
    expect([queue.busy, queue.settled('a') !== undefined]).toEqual([2, true])
    // Of two more it takes only as many as it has a hand for.
    await queue.add(['c', 'd'])
    await queue.look()
    expect(queue.busy).toBe(3)
    // Of one that is gone it hears when it next tells that the work goes on.
    await carrier.finish(tickets[1] as Ticket)
    await vi.waitFor(() => expect(reasons()).toEqual(['lost', 'lost', undefined]), TAKE_OVER)
    await queue.close()
    expect(reasons()).toEqual(['lost', 'lost', 'closing'])
  }, 90_000)

  test('work that fails is told of, and its job does not stay', async () => {
    const carrier = await (await carrierPlace(database))()
    const faults: unknown[] = []
    const fault = new Error('broken')
    const work = () => Promise.reject(fault)
    const queue = openJobQueue(carrier, { slots: 1, work, onFault: (error) => faults.push(error) })
    await queue.add(['a'])
    await queue.look()
    await vi.waitFor(() => expect([faults, queue.busy]).toEqual([[fault], 0]), TAKE_OVER)
    expect(await carrier.claim(1)).toEqual([])
    await queue.close()
  })
})
