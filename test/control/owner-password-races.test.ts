import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { type Reader, sql } from '../../src/platform/storage/database.ts'
import { type RunningHub, startHub } from '../../src/surfaces/http/start-hub.ts'
import { DATABASES, startTestHub, type TestHub } from '../harness/test-hub.ts'
import { PASSWORD, setUpOwner, signIn, type Visitor, visitorOf } from './owner-visitor.ts'

const NEXT = 'a wholly new password'
const OTHER = 'what a thief would like'

const statusOf = async (visitor: Visitor) => (await visitor.get('/v1/owner/sessions')).status

async function change(visitor: Visitor, password: string) {
  const { status } = await visitor.post('/owner/password', { current: PASSWORD, password })
  return { visitor, password, status }
}

describe.each(DATABASES)('two that change the password at once, on %s', (database) => {
  let hub: TestHub
  beforeAll(async () => void (hub = await startTestHub({ database })))
  afterAll(() => hub.close())

  test('the first ends the session and the password that the second was judged by', async () => {
    await setUpOwner(hub)
    const owner = (await signIn(hub)).visitor
    const thief = (await signIn(hub)).visitor
    for (const visitor of [owner, thief]) await visitor.get('/owner/form-token')
    const answers = await Promise.all([change(owner, NEXT), change(thief, OTHER)])
    const [done, ...more] = answers.filter(({ status }) => status === 303)
    expect(more).toEqual([])
    const [refused] = answers.filter(({ status }) => status !== 303)
    expect(refused?.status).toBe(401)
    expect(await statusOf(done?.visitor as Visitor)).toBe(200)
    expect(await statusOf(refused?.visitor as Visitor)).toBe(401)
    expect((await signIn(hub, done?.password)).done.status).toBe(303)
    expect((await signIn(hub, refused?.password)).done.status).toBe(401)
  })
})

describe('a password that is changed at one hub while it is used at another', () => {
  let hub: TestHub
  let other: RunningHub
  beforeAll(async () => {
    hub = await startTestHub({ database: 'postgres' })
    other = await startHub({ ...hub.options, host: '127.0.0.1', port: 0 })
  })
  afterAll(async () => {
    await other.stop()
    await hub.close()
  })

  const waiting = sql<{ n: number }>(
    `SELECT COUNT(*) AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
  )
  // Asked beside the transaction: within one the server tells the same of its connections all the time.
  const areWaiting = (beside: Reader, count: number) =>
    vi.waitFor(
      async () => expect(Number((await beside.get(waiting))?.n)).toBeGreaterThanOrEqual(count),
      8_000,
    )

  test('leaves no session open that began with the former one', async () => {
    const owner = await setUpOwner(hub)
    await owner.get('/owner/form-token')
    const thief = visitorOf(other)
    await thief.get('/owner/sign-in')
    const late: Promise<{ status: number }>[] = []
    // Both come as far as the end of the audit chain, where hubs take turns.
    await other.hub.db.transaction(async (tx) => {
      await other.hub.audit.lockHead(tx)
      late.push(thief.post('/owner/sign-in', { password: PASSWORD }))
      await areWaiting(hub.hub.db, 1)
      late.push(owner.post('/owner/password', { current: PASSWORD, password: NEXT }))
      await areWaiting(hub.hub.db, 2)
    })
    const [, changed] = await Promise.all(late)
    expect(changed?.status).toBe(303)
    expect(await statusOf(owner)).toBe(200)
    expect(await statusOf(thief)).toBe(401)
    expect((await signIn(hub)).done.status).toBe(401)
  })
})
