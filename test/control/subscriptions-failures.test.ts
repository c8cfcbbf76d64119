import { describe, expect, test } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { sendAsOwner } from '../harness/call-rest.ts'
import { type Clock, DATABASES } from '../harness/test-hub.ts'
import { auditRecords, codeOf } from '../rest/rest-hub.fixture.ts'
import { endHubsAfterEach, startDelivering } from './delivering-hub.ts'
import { goodReply, startReceiver } from './event-receiver.ts'
import { makeAgent, ownerOrigin, setUpOwner } from './owner-visitor.ts'
import { publishMany, soon, subscriberOf } from './subscribers.ts'

endHubsAfterEach()

describe.each(DATABASES)('delivery that does not go well, on %s', (database) => {
  test('tries again after 30, 120, 600, 3600 and 21600 seconds, with the same id, then disables', async () => {
    await using receiver = await startReceiver()
    const clock: Clock = { now: new Date() }
    const { hub, deliverer, agent } = await startDelivering({ database, clock })
    const { subscription_id } = await agent.create(receiver.url)
    await agent.until(subscription_id, { status: 'active' })
    receiver.reply = () => ({ status: 500 })
    await publishMany(hub.hub, 1, 2)
    const waits: number[] = []
    for (const attempts of [1, 2, 3, 4, 5]) {
      const { delivery } = await agent.until(subscription_id, { status: 'active', delivery: { attempts } })
      const now = clock.now as Date
      const next = new Date(delivery.next_attempt_at as string)
      waits.push((next.getTime() - now.getTime()) / 1_000)
      clock.now = new Date(next.getTime() - 1)
      await deliverer.look()
      expect(deliverer.lanes()).toEqual([])
      clock.now = next
      await deliverer.look()
    }
    expect(waits).toEqual([30, 120, 600, 3_600, 21_600])
    const ended = await agent.until(subscription_id, { status: 'disabled_failure' })
    expect(ended).toMatchObject({
      disabled_reason: 'delivery_failed',
      delivery: { last_failure: 'http_500' },
    })
    const tried = receiver.requests.slice(1)
    expect(tried).toHaveLength(6)
    expect(new Set(tried.map(({ id, body }) => `${id} ${body}`)).size).toBe(1)
    const kept = (await auditRecords(hub)).filter(({ operation }) => operation.includes('_disabled'))
    expect(kept).toMatchObject([{ caller_kind: 'hub', target_id: subscription_id }])
    // What came while it was disabled is there to be read, and is delivered when it goes on.
    await publishMany(hub.hub, 3, 2)
    expect((await agent.ask('POST', `/${subscription_id}/test-event`)).status).toBe(409)
    receiver.reply = goodReply
    await agent.update(subscription_id, { status: 'active' })
    await agent.until(subscription_id, { status: 'active', delivery: { pending_count: 0, attempts: 0 } })
    expect(receiver.sequence()).toEqual([1, 2, 3, 4])
  })

  test('waits as long as the receiver asks for, but not longer than a day', async () => {
    await using receiver = await startReceiver()
    const clock: Clock = { now: new Date() }
    const { hub, agent } = await startDelivering({ database, clock })
    const { subscription_id } = await agent.create(receiver.url)
    await agent.until(subscription_id, { status: 'active' })
    receiver.reply = () => ({ status: 429, headers: { 'retry-after': '999999999' } })
    await publishMany(hub.hub, 1, 1)
    const { delivery } = await agent.until(subscription_id, { delivery: { attempts: 1 } })
    const wait_ms = Date.parse(delivery.next_attempt_at as string) - (clock.now as Date).getTime()
    expect(wait_ms).toBe(86_400_000)
  })

  test('ends at once when the receiver says that it is gone', async () => {
    await using receiver = await startReceiver()
    const { hub, agent } = await startDelivering({ database })
    const { subscription_id } = await agent.create(receiver.url)
    await agent.until(subscription_id, { status: 'active' })
    receiver.reply = () => ({ status: 410 })
    await publishMany(hub.hub, 1, 1)
    await agent.until(subscription_id, { status: 'disabled_failure', disabled_reason: 'receiver_gone' })
    expect(receiver.requests).toHaveLength(2)
  })

  test('follows no redirect, and takes no answer for a receiver that does not return the challenge', async () => {
    await using elsewhere = await startReceiver()
    await using receiver = await startReceiver()
    const { agent } = await startDelivering({ database })
    const failures: (string | null)[] = []
    for (const reply of [
      { status: 307, headers: { location: elsewhere.url } },
      { status: 200 },
      { status: 200, body: '{"challenge":"another"}' },
      { status: 200, body: 'null' },
      { status: 200, body: `{"challenge":"${'x'.repeat(100_000)}"}` },
    ]) {
      receiver.reply = () => reply
      const { subscription_id } = await agent.create(receiver.url)
      const { status, delivery } = await agent.until(subscription_id, { delivery: { attempts: 1 } })
      failures.push(`${status} ${delivery.last_failure}`)
    }
    expect(failures).toEqual([
      'pending_verification http_307',
      ...Array.from({ length: 4 }, () => 'pending_verification challenge_not_returned'),
    ])
    expect(elsewhere.requests).toEqual([])
  })

  test('ends for good with the approval of the agent that made it', async () => {
    await using receiver = await startReceiver()
    const { hub } = await startDelivering({ database })
    const owner = await setUpOwner(hub)
    const { bearer, agent_id } = await makeAgent(hub, owner)
    const { subscription_id } = await subscriberOf(hub, bearer).create(receiver.url)
    const whole = subscriberOf(hub)
    await whole.until(subscription_id, { status: 'active' })
    const headers = { origin: ownerOrigin(hub) }
    await owner.ask({ method: 'DELETE', path: `/v1/owner/agents/${agent_id}`, headers })
    expect(await whole.show(subscription_id)).toMatchObject({
      status: 'disabled_revoked',
      disabled_reason: 'agent_revoked',
    })
    const again = await whole.ask('PATCH', `/${subscription_id}`, { status: 'active' })
    expect([again.status, codeOf(again)]).toEqual([409, 'subscription_revoked'])
    await publishMany(hub.hub, 1, 1)
    expect(await whole.show(subscription_id)).toMatchObject({ delivery: { pending_count: 0 } })
    expect(receiver.sequence()).toEqual([])
  })

  test('waits while the owner has locked everything, and counts no attempt', async () => {
    await using receiver = await startReceiver()
    const clock: Clock = { now: new Date() }
    const { hub, deliverer, agent } = await startDelivering({ database, clock })
    const { subscription_id } = await agent.create(receiver.url)
    await agent.until(subscription_id, { status: 'active' })
    const lock = (method: string, path: string, body?: object) =>
      sendAsOwner(hub, { method, path, ...(body && { body: JSON.stringify(body) }) })
    expect((await lock('POST', '/api/v1/locks', { kind: 'all' })).status).toBe(201)
    await publishMany(hub.hub, 1, 1)
    const waiting = sql<{ last_failure: string | null }>('SELECT last_failure FROM subscription_deliveries')
    await soon(async () => expect((await hub.hub.db.get(waiting))?.last_failure).toBe('locked'))
    expect(receiver.sequence()).toEqual([])
    expect((await lock('DELETE', '/api/v1/locks/all')).status).toBe(200)
    expect(await agent.show(subscription_id)).toMatchObject({ status: 'active', delivery: { attempts: 0 } })
    clock.now = new Date((clock.now as Date).getTime() + 10_000)
    await deliverer.look()
    await soon(() => expect(receiver.sequence()).toEqual([1]))
  })

  test('ends when the approval runs out', async () => {
    await using receiver = await startReceiver()
    const clock: Clock = {}
    const { hub } = await startDelivering({ database, clock })
    const { bearer } = await makeAgent(hub, await setUpOwner(hub))
    const { subscription_id } = await subscriberOf(hub, bearer).create(receiver.url)
    const whole = subscriberOf(hub)
    await whole.until(subscription_id, { status: 'active' })
    clock.now = new Date(Date.now() + 91 * 86_400_000)
    await publishMany(hub.hub, 1, 1)
    await whole.until(subscription_id, { status: 'disabled_revoked', disabled_reason: 'agent_expired' })
    expect(receiver.sequence()).toEqual([])
  })
})
