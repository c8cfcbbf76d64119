import { describe, expect, test } from 'vitest'
import {
  DELIVERED_LIMIT,
  pruneSubscriptions,
} from '../../src/domains/control/subscriptions/prune-subscriptions.ts'
import { publishEvent } from '../../src/domains/control/subscriptions/publish.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { type Clock, DATABASES } from '../harness/test-hub.ts'
import { codeOf } from '../rest/rest-hub.fixture.ts'
import { endHubsAfterEach, startDelivering } from './delivering-hub.ts'
import { checkedEvent, goodReply, startReceiver } from './event-receiver.ts'
import { changedEvent, publishMany, soon, upTo } from './subscribers.ts'

endHubsAfterEach()

describe.each(DATABASES)('delivery on %s', (database) => {
  test('asks the receiver first, then brings everything in order, as independent libraries read it', async () => {
    await using receiver = await startReceiver()
    const { hub, agent } = await startDelivering({ database })
    receiver.reply = () => ({ status: 503 })
    const made = await agent.create(receiver.url)
    expect(made.status).toBe('pending_verification')
    await agent.until(made.subscription_id, { delivery: { attempts: 1, last_failure: 'http_503' } })
    await publishMany(hub.hub, 1, 3)
    receiver.reply = goodReply
    await agent.update(made.subscription_id, { status: 'active' })
    await agent.until(made.subscription_id, { status: 'active', delivery: { pending_count: 0 } })
    expect((await agent.ask('POST', `/${made.subscription_id}/test-event`)).status).toBe(202)
    await soon(() => expect(receiver.sequence()).toEqual(upTo(4)))
    const events = receiver.taken.map((got) => checkedEvent(got, made.secret as string))
    expect(events.map(({ type }) => type)).toEqual([
      'pdpp.subscription.verify',
      'pdpp.records.changed',
      'pdpp.records.changed',
      'pdpp.records.changed',
      'pdpp.subscription.test',
    ])
    expect(events[1]).toMatchObject({
      specversion: '1.0',
      pdppversion: '1',
      source: `/v1/event-subscriptions/${made.subscription_id}`,
      subject: 'conn_one',
      data: { stream: 'notes', connection_id: 'conn_one', changes_since: 'seq_1' },
    })
    for (const [at, { headers }] of receiver.taken.entries()) {
      expect(headers['webhook-id']).toBe(events[at]?.id)
      expect(headers['webhook-id']).toMatch(/^evt_[0-9a-f]{24}$/)
      expect(headers['content-type']).toContain('application/cloudevents+json')
    }
    expect(() => checkedEvent(receiver.taken[1] as never, `whsec_${'A'.repeat(43)}=`)).toThrow()
  })

  test('tells nothing of what was rolled back, and only what the filters let through', async () => {
    await using receiver = await startReceiver()
    const { hub, agent } = await startDelivering({ database })
    const filters = { streams: ['notes'], connection_ids: ['conn_one'], types: ['pdpp.records.changed'] }
    const { subscription_id } = await agent.create(receiver.url, { filters })
    await agent.until(subscription_id, { status: 'active' })
    const rolledBack = hub.hub.db.transaction(async (tx) => {
      await publishEvent(tx, hub.hub, changedEvent(1))
      throw new Error('rolled back')
    })
    await expect(rolledBack).rejects.toThrow('rolled back')
    await hub.hub.db.transaction(async (tx) => {
      await publishEvent(tx, hub.hub, changedEvent(2, { stream: 'other' }))
      await publishEvent(tx, hub.hub, changedEvent(3, { connection_id: 'conn_two' }))
      const { stream: _, ...run } = changedEvent(4, { type: 'pdpp.run.succeeded' })
      await publishEvent(tx, hub.hub, run)
      await publishEvent(tx, hub.hub, changedEvent(5))
    })
    await agent.until(subscription_id, { delivery: { cursor: 'evc_1', pending_count: 0 } })
    expect(receiver.taken.slice(1).map(({ event }) => event.data.changes_since)).toEqual(['seq_5'])
  })

  test('signs with both secrets for a day after a rotation', async () => {
    await using receiver = await startReceiver()
    const clock: Clock = {}
    const { hub, agent } = await startDelivering({ database, clock })
    const { subscription_id, secret: former } = await agent.create(receiver.url)
    await agent.until(subscription_id, { status: 'active' })
    const { secret } = await agent.update(subscription_id, { rotate_secret: true })
    await publishMany(hub.hub, 1, 1)
    await agent.until(subscription_id, { delivery: { cursor: 'evc_1' } })
    const both = receiver.taken.at(-1) as never
    for (const one of [former, secret]) expect(checkedEvent(both, one as string).type).toMatch('changed')
    clock.now = new Date(Date.now() + 86_400_000 + 60_000)
    await publishMany(hub.hub, 2, 1)
    await agent.until(subscription_id, { delivery: { cursor: 'evc_2' } })
    expect(receiver.taken.at(-1)?.headers['webhook-signature']).toMatch(/^v1,[^ ]+$/)
  })

  test('asks a new address first, and brings it what the old one had not got', async () => {
    await using old = await startReceiver()
    await using moved = await startReceiver()
    const { hub, agent } = await startDelivering({ database })
    const { subscription_id } = await agent.create(old.url)
    await agent.until(subscription_id, { status: 'active' })
    await agent.update(subscription_id, { status: 'disabled' })
    await publishMany(hub.hub, 1, 3)
    const changed = await agent.update(subscription_id, { callback_url: moved.url, status: 'active' })
    expect(changed.status).toBe('pending_verification')
    await agent.until(subscription_id, { status: 'active', delivery: { pending_count: 0 } })
    expect([old.sequence(), moved.sequence()]).toEqual([[], [1, 2, 3]])
    expect(moved.taken[0]?.event.type).toBe('pdpp.subscription.verify')
  })

  test('brings nothing that came after it was disabled, even while it looks for more', async () => {
    await using receiver = await startReceiver()
    const { hub, agent } = await startDelivering({ database })
    const { db } = hub.hub
    const { all } = db
    const looked = Promise.withResolvers<void>()
    db.all = async (statement, ...values) => {
      if (!/FROM subscription_events .*ORDER BY seq/s.test(statement.text)) return all(statement, ...values)
      db.all = all
      await agent.update(subscription_id, { status: 'disabled' })
      await publishMany(hub.hub, 1, 1)
      looked.resolve()
      return all(statement, ...values)
    }
    const { subscription_id } = await agent.create(receiver.url)
    await looked.promise
    await agent.until(subscription_id, { status: 'disabled', delivery: { pending_count: 1 } })
    await agent.update(subscription_id, { status: 'active', callback_url: `${receiver.url}?moved` })
    await agent.until(subscription_id, { status: 'active', delivery: { pending_count: 0 } })
    expect(receiver.taken.map(({ event }) => event.type)).toEqual([
      'pdpp.subscription.verify',
      'pdpp.subscription.verify',
      'pdpp.records.changed',
    ])
  })

  test('lets missed events be read by cursor, and says when they are no longer kept', async () => {
    await using receiver = await startReceiver()
    const { hub, agent } = await startDelivering({ database })
    const { subscription_id } = await agent.create(receiver.url)
    await agent.until(subscription_id, { status: 'active' })
    await agent.update(subscription_id, { status: 'disabled' })
    await publishMany(hub.hub, 1, 120, 60)
    const read = async (query: string) => {
      const answer = await agent.ask('GET', `/${subscription_id}/events${query}`)
      return JSON.parse(answer.text)
    }
    const numbers: string[] = []
    let cursor = 'evc_0'
    for (let page = 0; page < 10; page++) {
      const { data, next_cursor, has_more } = await read(`?cursor=${cursor}&limit=50`)
      numbers.push(...data.map(({ event }: { event: { sequence: string } }) => event.sequence))
      cursor = next_cursor
      if (!has_more) break
    }
    expect(numbers).toEqual(upTo(120).map(String))
    expect(await read(`?cursor=${cursor}`)).toMatchObject({ data: [], next_cursor: 'evc_120' })
    const drop = sql('DELETE FROM subscription_events WHERE subscription_id = ? AND seq <= 100')
    await hub.hub.db.transaction((tx) => tx.run(drop, subscription_id))
    const late = await agent.ask('GET', `/${subscription_id}/events?cursor=evc_99`)
    expect([late.status, codeOf(late)]).toEqual([410, 'cursor_expired'])
    expect((await read('?cursor=evc_100&limit=1')).data[0].cursor).toBe('evc_101')
    // Dropped unsent: the lane passes over the gap, and the numbers tell of it.
    await agent.update(subscription_id, { status: 'active' })
    await agent.until(subscription_id, { delivery: { pending_count: 0 } })
    expect(receiver.sequence()).toEqual(upTo(120).slice(100))
  })

  test('keeps delivered events for a week and a number of them, missed ones for a month', async () => {
    await using receiver = await startReceiver()
    const clock: Clock = { now: new Date() }
    const { hub, agent } = await startDelivering({ database, clock })
    const { subscription_id } = await agent.create(receiver.url)
    await agent.until(subscription_id, { status: 'active' })
    await publishMany(hub.hub, 1, 10)
    await agent.until(subscription_id, { delivery: { cursor: 'evc_10', pending_count: 0 } })
    await agent.update(subscription_id, { status: 'disabled' })
    await publishMany(hub.hub, 11, 5)
    const count = sql<{ n: number }>('SELECT COUNT(*) AS n FROM subscription_events')
    const keptAfter = async (days: number) => {
      clock.now = new Date((clock.now as Date).getTime() + days * 86_400_000)
      await pruneSubscriptions(hub.hub)
      return (await hub.hub.db.get(count))?.n
    }
    expect([await keptAfter(6), await keptAfter(2), await keptAfter(20), await keptAfter(3)]).toEqual([
      15, 5, 5, 0,
    ])
    const advance = sql('UPDATE subscription_deliveries SET delivered_seq = ? WHERE subscription_id = ?')
    await publishMany(hub.hub, 16, 3)
    await hub.hub.db.transaction((tx) => tx.run(advance, DELIVERED_LIMIT + 17, subscription_id))
    expect(await keptAfter(0)).toBe(1)
  })
})
