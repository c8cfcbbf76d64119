import { afterEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { type Clock, DATABASES } from '../harness/test-hub.ts'
import { auditRecords } from '../rest/rest-hub.fixture.ts'
import {
  type AskingHub,
  type AskingOptions,
  asOwner,
  call,
  decide,
  startAskingHub,
  waiting,
} from './approvals.fixture.ts'

const ends: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

async function started(options: AskingOptions = {}): Promise<AskingHub> {
  const asking = await startAskingHub(options)
  ends.push(asking.close)
  return asking
}

const SENT = { text: 'a note', to: ['ann', 'bob'] }

describe.each(DATABASES)('a call that asks first on %s', (database) => {
  test('waits, is shown to the owner in full, and is carried out once', async () => {
    const asking = await started({ database })
    const { hub, endpoint } = asking
    const told = await call(asking, 'post', SENT)
    expect(told.status).toBe(202)
    expect(Object.keys(told.body).toSorted()).toEqual([
      'approval_id',
      'expires_at',
      'retry_after_seconds',
      'schema',
    ])
    expect(told.headers.get('retry-after')).toBe(String(told.body.retry_after_seconds))
    const [one, ...others] = await waiting(hub)
    expect(others).toEqual([])
    expect(one).toMatchObject({ approval_id: told.body.approval_id, arguments: SENT, tool_id: 'post' })
    expect((await call(asking, 'post', { to: SENT.to, text: SENT.text })).body.approval_id).toBe(
      told.body.approval_id,
    )
    expect(endpoint.got).toEqual([])
    const decided = await decide(hub, one.approval_id, 'approve')
    expect([decided.status, decided.body.state]).toEqual([200, 'approved'])
    const done = await call(asking, 'post', SENT)
    expect([done.status, JSON.parse(done.body.result.body.said)]).toEqual([200, SENT])
    expect((await call(asking, 'post', SENT)).body).toEqual(done.body)
    expect(endpoint.got).toHaveLength(1)
    const { body } = await asOwner(hub, 'GET', `/v1/owner/approvals/${one.approval_id}`)
    expect(body).toMatchObject({ state: 'executed', arguments: null, digest: one.digest })
    const calls = (await auditRecords(hub)).filter(
      ({ operation }) => operation === 'flow_external_tool_invoke',
    )
    expect(calls.map(({ outcome, code }) => [outcome, code])).toEqual([
      ['allowed', 'FLOW_EXTERNAL_APPROVAL_PENDING'],
      ['allowed', 'FLOW_EXTERNAL_APPROVAL_PENDING'],
      ['allowed', null],
      ['allowed', 'FLOW_EXTERNAL_APPROVAL_ATTACHED'],
    ])
  })

  test('is held until the owner has decided, and 50 that race are one execution with one answer', async () => {
    const asking = await started({ database })
    const { hub, endpoint } = asking
    const racing = Array.from({ length: 50 }, () => call(asking, 'post', SENT, { wait: 60 }))
    const one = await oneWaiting(asking)
    await decide(hub, one.approval_id, 'approve')
    const told = await Promise.all(racing)
    expect(new Set(told.map(({ status, body }) => `${status} ${JSON.stringify(body)}`)).size).toBe(1)
    expect(told[0]?.status).toBe(200)
    expect(endpoint.got).toHaveLength(1)
    const grants = await hub.hub.db.all(
      sql<{ n: number }>('SELECT invocation_count AS n FROM flow_external_grants'),
    )
    expect(grants.map(({ n }) => Number(n))).toEqual([1])
  })

  test('is refused for good by a no, with nothing sent', async () => {
    const asking = await started({ database })
    const held = call(asking, 'post', SENT, { wait: 60 })
    const one = await oneWaiting(asking)
    await decide(asking.hub, one.approval_id, 'deny', { reason: 'not today' })
    const codes = [(await held).body.code, (await call(asking, 'post', SENT)).body.code]
    expect(codes).toEqual(['FLOW_EXTERNAL_APPROVAL_DENIED', 'FLOW_EXTERNAL_APPROVAL_DENIED'])
    expect((await decide(asking.hub, one.approval_id, 'approve')).body.error.code).toBe('approval_decided')
    expect(asking.endpoint.got).toEqual([])
  })

  test('is not carried out with one other byte, under another policy, or too late', async () => {
    const clock: Clock = {}
    const asking = await started({ database, clock })
    const { hub, endpoint } = asking
    const approve = async () => {
      const { body } = await call(asking, 'post', SENT)
      await decide(hub, body.approval_id, 'approve')
      return body.approval_id
    }
    const first = await approve()
    const other = await call(asking, 'post', { ...SENT, text: 'a notE' })
    expect([other.status, other.body.approval_id === first]).toEqual([202, false])
    asking.changePolicy('another')
    const anew = await call(asking, 'post', SENT)
    expect([anew.status, anew.body.approval_id === first]).toEqual([202, false])
    await decide(hub, anew.body.approval_id, 'approve')
    clock.now = new Date(Date.now() + 11 * 60_000)
    if (database === 'sqlite')
      expect((await call(asking, 'post', SENT)).body.code).toBe('FLOW_EXTERNAL_APPROVAL_EXPIRED')
    expect(endpoint.got.length).toBe(0)
  })

  test('asks once for arguments of one shape, and not at all for an hour where the owner says so', async () => {
    const asking = await started({ database })
    const { hub, endpoint } = asking
    const { body } = await call(asking, 'first', { a: 1, b: ['x'] })
    await decide(hub, body.approval_id, 'approve')
    expect((await call(asking, 'first', { a: 2, b: ['y', 'z'] })).status).toBe(200)
    expect((await call(asking, 'first', { a: 1, b: ['x'] })).status).toBe(200)
    const other = await call(asking, 'first', { a: '1', b: ['x'] })
    expect(other.status).toBe(202)
    await decide(hub, other.body.approval_id, 'approve', { for: 'grant' })
    expect((await call(asking, 'first', { quite: 'other' })).status).toBe(200)
    expect(endpoint.got).toHaveLength(3)
    expect((await call(asking, 'post', SENT)).status).toBe(202)
  })
})

async function oneWaiting({ hub }: AskingHub) {
  for (;;) {
    const [one] = await waiting(hub)
    if (one) return one
    await new Promise((done) => setTimeout(done, 50))
  }
}

test('a held call ends with a lock, a revoke and a closed gate', async () => {
  const asking = await started()
  const { hub, grant } = asking
  const held = (text: string) => call(asking, 'post', { text }, { wait: 60 })
  const { token_ids } = hub.credentials
  const locked = held('locked')
  await oneWaiting(asking)
  await asOwner(hub, 'POST', '/api/v1/locks', { kind: 'agent', id: token_ids.editor })
  expect((await locked).body.code).toBe('LOCKED')
  await asOwner(hub, 'DELETE', `/api/v1/locks/agent?id=${token_ids.editor}`)
  const gated = held('gated')
  hub.options.env.FLOW_EXTERNAL_AGENT_ENABLED = '0'
  expect((await gated).body.code).toBe('FLOW_EXTERNAL_AGENT_DISABLED')
  hub.options.env.FLOW_EXTERNAL_AGENT_ENABLED = '1'
  const revoked = held('revoked')
  await new Promise((done) => setTimeout(done, 300))
  await asOwner(hub, 'DELETE', `/api/v1/flows/external-grants/${grant.grant.grant_id}`)
  expect((await revoked).body.code).toBe('FLOW_EXTERNAL_GRANT_REVOKED')
})

test('a hub that stops lets go of what it holds', async () => {
  const asking = await startAskingHub()
  const held = call(asking, 'post', SENT, { wait: 60 })
  await oneWaiting(asking)
  await asking.close()
  expect((await held).status).toBe(202)
})

test('what waits is bounded, and what cannot be shown is refused', async () => {
  const asking = await started()
  const statuses: number[] = []
  for (let at = 0; at < 22; at++) statuses.push((await call(asking, 'post', { at })).status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(2)
  let deep: object = {}
  for (let at = 0; at < 200; at++) deep = { deep }
  expect((await call(asking, 'post', deep)).status).toBe(400)
})

test('tools that do not ask are as they were, and one without a provider is counted once', async () => {
  const asking = await started()
  expect((await call(asking, 'plain', SENT)).status).toBe(200)
  const { body } = await call(asking, 'nothing', {})
  await decide(asking.hub, body.approval_id, 'approve')
  const done = await call(asking, 'nothing', {})
  expect(done.body).toMatchObject({ accepted: true })
  expect((await call(asking, 'nothing', {})).body).toEqual(done.body)
})
