import { afterEach, describe, expect, test } from 'vitest'
import { delivererOf } from '../../src/domains/control/subscriptions/delivery/deliverer.ts'
import { type Hub, openHub } from '../../src/operations/hub.ts'
import { homeAt } from '../../src/platform/basics/home.ts'
import { plainLog } from '../../src/platform/basics/plain-log.ts'
import { realSystem } from '../../src/platform/basics/system.ts'
import { type HubProcess, spawnHub, temporaryHome } from '../e2e/hub-process.fixture.ts'
import { startRestHub } from '../rest/rest-hub.fixture.ts'
import { freshPostgresUrl } from '../store/postgres-server.ts'
import { type EventReceiver, goodReply, type ReceivedEvent, startReceiver } from './event-receiver.ts'
import { publishMany, soon, subscriberOf, upTo } from './subscribers.ts'

const LIMIT_MS = 240_000
const children: HubProcess[] = []
afterEach(async () => void (await Promise.all(children.splice(0).map((hub) => hub.end('SIGKILL')))))

/** What a receiver has when it forgets what it already had: order, loss and change all show. */
function withoutRepeats({ taken }: EventReceiver): { numbers: number[]; repeats: number } {
  const known = new Map<string, string>()
  const numbers: number[] = []
  let repeats = 0
  for (const { id, body, event } of taken) {
    if (Number(event.sequence) === 0) continue
    const former = known.get(id)
    if (former === undefined) numbers.push(Number(event.sequence))
    else {
      repeats++
      expect(former).toBe(body)
    }
    known.set(id, body)
  }
  return { numbers, repeats }
}

/** A hub in this process on the same store, to publish with. It delivers nothing. */
async function openPublisher(home: string, env: Record<string, string>): Promise<Hub> {
  const log = plainLog(() => {}, realSystem.now)
  return openHub({ home: homeAt(home, env), env, system: realSystem, log })
}

async function startChild(home: string, env: Record<string, string> = {}): Promise<HubProcess> {
  const child = await spawnHub({ home, env })
  children.push(child)
  return child
}

/** Makes a subscription, and waits until its receiver has proved itself. */
async function subscribe(hub: { url: string; hub: Hub }, { url }: EventReceiver): Promise<string> {
  const agent = subscriberOf(hub)
  const { subscription_id } = await agent.create(url)
  await agent.until(subscription_id, { status: 'active' })
  return subscription_id
}

const slowly = (wait_ms: number) => (got: ReceivedEvent) => ({ ...goodReply(got), wait_ms })

describe.each([
  ['sqlite', 5_000],
  ['postgres', 1_000],
] as const)('many events to many receivers on %s', (database, count) => {
  test(
    `none of ${count} is lost or out of order, whatever the receivers beside do`,
    async () => {
      await using hub = await startRestHub({ database })
      delivererOf(hub.hub)
      const all = subscriberOf(hub)
      await using healthy = await startReceiver()
      await using slow = await startReceiver()
      await using flaky = await startReceiver()
      await using hanging = await startReceiver()
      await using dead = await startReceiver()
      const ids: Record<string, string> = {}
      for (const [name, receiver] of Object.entries({ healthy, slow, flaky, hanging, dead })) {
        ids[name] = await subscribe(hub, receiver)
      }
      await dead.close()
      const failing = new Set<string>()
      slow.reply = (got) => ({ ...goodReply(got), wait_ms: Number(got.event.sequence) % 100 === 0 ? 200 : 0 })
      hanging.reply = () => ({ status: 204, wait_ms: 60_000 })
      flaky.reply = (got) => {
        const isFirst = Number(got.event.sequence) % 250 === 0 && !failing.has(got.id)
        failing.add(got.id)
        return isFirst ? { status: 500 } : { status: 204 }
      }
      await publishMany(hub.hub, 1, count, 20)
      await soon(() => expect(healthy.taken.length).toBe(count + 1), LIMIT_MS)
      // The owner need not wait for the next attempt.
      await soon(async () => {
        const { delivery } = await all.show(ids.flaky as string)
        if (delivery.next_attempt_at) await all.update(ids.flaky as string, { status: 'active' })
        expect(flaky.taken.length).toBe(count + 1)
      }, LIMIT_MS)
      await soon(() => expect(slow.taken.length).toBe(count + 1), LIMIT_MS)
      for (const receiver of [healthy, slow, flaky]) {
        expect(withoutRepeats(receiver)).toEqual({ numbers: upTo(count), repeats: 0 })
        expect(receiver.most_at_once()).toBe(1)
      }
      expect(flaky.requests.length - flaky.taken.length).toBe(Math.floor(count / 250))
      expect(await all.show(ids.dead as string)).toMatchObject({
        delivery: { pending_count: count, last_failure: 'unreachable' },
      })
      expect(await all.show(ids.hanging as string)).toMatchObject({ delivery: { pending_count: count } })
    },
    LIMIT_MS,
  )
})

describe('a hub that is killed while it delivers', () => {
  test(
    'the next one goes on from the cursor, with the same ids and bytes',
    async () => {
      using at = temporaryHome()
      const first = await startChild(at.home.folder)
      await using receiver = await startReceiver()
      receiver.reply = slowly(5)
      const publisher = await openPublisher(at.home.folder, {})
      const subscription_id = await subscribe({ ...first, hub: publisher }, receiver)
      const count = 1_500
      try {
        const publishing = publishMany(publisher, 1, count, 50)
        await soon(() => expect(receiver.taken.length).toBeGreaterThan(200))
        await first.end('SIGKILL')
        expect(receiver.taken.length).toBeLessThan(count)
        await publishing
        receiver.reply = goodReply
        const second = await startChild(at.home.folder)
        await publishMany(publisher, count + 1, 100, 50)
        const agent = subscriberOf({ ...second, hub: publisher })
        await agent.until(subscription_id, { status: 'active', delivery: { pending_count: 0 } }, LIMIT_MS)
      } finally {
        await publisher.close()
      }
      expect(withoutRepeats(receiver).numbers).toEqual(upTo(count + 100))
      expect(receiver.most_at_once()).toBe(1)
    },
    LIMIT_MS,
  )
})

describe('hubs on one PostgreSQL', () => {
  test(
    'take over from a killed one, and never deliver a subscription at once',
    async () => {
      using at = temporaryHome()
      const env = { KNOWTATION_DATABASE_URL: await freshPostgresUrl() }
      const first = await startChild(at.home.folder, env)
      const publisher = await openPublisher(at.home.folder, env)
      const receivers = await Promise.all(Array.from({ length: 6 }, () => startReceiver()))
      for (const receiver of receivers) {
        receiver.reply = slowly(3)
        await subscribe({ ...first, hub: publisher }, receiver)
      }
      const haveAll = (count: number) => {
        for (const receiver of receivers) expect(withoutRepeats(receiver).numbers).toEqual(upTo(count))
      }
      try {
        const publishing = publishMany(publisher, 1, 600, 50)
        await soon(() => {
          for (const { taken } of receivers) expect(taken.length).toBeGreaterThan(20)
        })
        await first.end('SIGKILL')
        for (const { taken } of receivers) expect(taken.length).toBeLessThan(600)
        await publishing
        await startChild(at.home.folder, env)
        await soon(() => haveAll(600), LIMIT_MS)
        const repeats = receivers.map((receiver) => withoutRepeats(receiver).repeats)
        await startChild(at.home.folder, env)
        // Bursts with a rest between them: lanes are let go of, and whoever looks first has the next.
        for (let burst = 0; burst < 8; burst++) {
          await publishMany(publisher, 601 + burst * 50, 50, 10)
          await soon(() => haveAll(650 + burst * 50))
        }
        // Nobody was killed here, so nothing came twice.
        expect(receivers.map((receiver) => withoutRepeats(receiver).repeats)).toEqual(repeats)
        for (const receiver of receivers) expect(receiver.most_at_once()).toBe(1)
      } finally {
        await publisher.close()
        for (const receiver of receivers) await receiver[Symbol.asyncDispose]()
      }
    },
    LIMIT_MS,
  )
})
