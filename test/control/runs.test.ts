import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { putSchedule } from '../../src/domains/control/schedules/schedule-store.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { everythingOf, type OwnedHub, startOwnedHub } from './connection-samples.ts'
import { connect, installConnector, paged, type RunSource, startSource } from './run-source.ts'

const PATIENCE = { timeout: 30_000, interval: 50 }
const never = () => new Promise<never>(() => {})

let hub: OwnedHub
let source: RunSource

async function begin(database: (typeof DATABASES)[number]): Promise<void> {
  source = await startSource()
  hub = await startOwnedHub({ database })
  installConnector(hub.home)
}
const end = async () => {
  await hub.close()
  await source[Symbol.asyncDispose]()
}

/** What a test leaves under way would take the hands that the next one needs. */
async function cancelAll(): Promise<void> {
  await vi.waitFor(async () => {
    const { body } = await hub.askAsOwner('GET', '/_ref/runs')
    for (const { run_id } of body.data) await cancel(run_id)
    expect(body.data).toEqual([])
  }, PATIENCE)
}

const at = (connection_id: string) => `/v1/owner/connections/${connection_id}`

async function start(connection_id: string): Promise<string> {
  const { status, body } = await hub.ask('POST', `${at(connection_id)}/run`)
  expect([status, body.run_id]).toEqual([202, expect.stringMatching(/^run_[0-9a-f]{32}$/)])
  return body.run_id
}

const show = async (connection_id: string, run_id: string) =>
  (await hub.ask('GET', `${at(connection_id)}/runs/${run_id}`)).body

async function reaches(connection_id: string, run_id: string, status: string) {
  return vi.waitFor(async () => {
    const run = await show(connection_id, run_id)
    expect(run.status).toBe(status)
    return run
  }, PATIENCE)
}

const cancel = (run_id: string) => hub.askAsOwner('POST', `/_ref/runs/${run_id}/cancel`)

async function eventsOf(connection_id: string, run_id: string) {
  const { body } = await hub.ask('GET', `${at(connection_id)}/runs/${run_id}/events`)
  return body.data as { type: string; data: Record<string, unknown> }[]
}

/** All that a connection has but its runs: what cancelling must not touch. */
async function restOf(connection_id: string) {
  const {
    collection_runs: _runs,
    collection_run_events: _events,
    ...rest
  } = await everythingOf(hub, connection_id)
  return rest
}

/** Some pages, then nothing more for as long as it is asked. */
function hangsAfter(pages: number): RunSource['answer'] {
  const some = paged(pages, 10)
  return (asked) => (Number(asked.from ?? 0) >= pages ? never() : some(asked))
}

async function hanging(): Promise<{ connection_id: string; run_id: string }> {
  source.answer = hangsAfter(2)
  const connection_id = await connect(hub.hub, source.url)
  const run_id = await start(connection_id)
  await vi.waitFor(async () => expect((await show(connection_id, run_id)).progress.pages).toBe(2), PATIENCE)
  return { connection_id, run_id }
}

describe.each(DATABASES)('runs on %s', (database) => {
  beforeAll(() => begin(database))
  afterEach(cancelAll)
  afterAll(end)

  verifies('OWNR-071', 'run now answers at once, and a second time says that one is active', async () => {
    source.answer = hangsAfter(1)
    installConnector(hub.home, 'only')
    const connection_id = await connect(hub.hub, source.url, 'only')
    const run_id = await start(connection_id)
    const again = await hub.ask('POST', `${at(connection_id)}/run`)
    expect([again.status, again.body.error]).toMatchObject([
      409,
      { type: 'api_error', code: 'run_already_active' },
    ])
    expect((await hub.ask('POST', '/v1/owner/connectors/only/run')).status).toBe(409)
    expect((await cancel(run_id)).status).toBe(200)
    await reaches(connection_id, run_id, 'cancelled')
    source.answer = paged(3, 10)
    const { body } = await hub.ask('POST', '/v1/owner/connectors/only/run')
    const run = await reaches(connection_id, body.run_id, 'succeeded')
    expect(run.progress).toMatchObject({ total: 30 })
    expect((await everythingOf(hub, connection_id)).records).toHaveLength(30)
    const events = await hub.events()
    const told = events.filter(({ event_type }) => event_type === 'owner_agent.connection.run')
    expect(told.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'failed', 'succeeded'])
    expect(told[0].data).toMatchObject({ operation: 'run_now', run_id: body.run_id, connection_id })
  })

  verifies(
    ['OWNR-026', 'OWNR-031', 'OWNR-032', 'OWNR-033'],
    'cancelling ends one run and nothing else, says why, and is told apart when there is nothing to end',
    async () => {
      const sibling = await connect(hub.hub, source.url)
      const { connection_id, run_id } = await hanging()
      await hub.hub.db.transaction((tx) =>
        putSchedule(tx, connection_id, { cron: null, interval_seconds: 3_600, timezone: 'UTC' }, new Date()),
      )
      const other = await start(sibling)
      await vi.waitFor(async () => expect((await show(sibling, other)).progress.pages).toBe(2), PATIENCE)
      const before = await restOf(connection_id)
      const first = await cancel(run_id)
      expect([first.status, first.body.run_id]).toEqual([200, run_id])
      expect(['cancelling', 'cancelled']).toContain(first.body.status)
      const run = await reaches(connection_id, run_id, 'cancelled')
      expect(run).toMatchObject({ cancel_reason: 'owner_cancelled', progress: { records: 20 } })
      const [last] = (await eventsOf(connection_id, run_id)).slice(-1)
      expect(last).toMatchObject({ type: 'run.cancelled', data: { reason: 'owner_cancelled' } })
      expect(await restOf(connection_id)).toEqual(before)
      const again = await cancel(run_id)
      expect([again.status, again.body.error.code]).toEqual([409, 'run_not_active'])
      const unknown = await cancel('run_nope')
      expect([unknown.status, unknown.body.error]).toMatchObject([
        404,
        { type: 'not_found_error', code: 'run_not_found' },
      ])
      expect((await show(sibling, other)).status).toBe('running')
      expect((await cancel(other)).status).toBe(200)
      await reaches(sibling, other, 'cancelled')
      expect((await hub.ask('GET', `${at(connection_id)}/runs`)).body.data).toHaveLength(1)
    },
  )

  verifies(
    'OWNR-031',
    'a sibling whose neighbour was cancelled comes to its own end undisturbed',
    async () => {
      const { run_id } = await hanging()
      const sibling = await connect(hub.hub, source.url)
      const { promise: held, resolve: go } = Promise.withResolvers<void>()
      const some = paged(4, 5)
      source.answer = async (asked) => {
        if (asked.connection_id === sibling && asked.from === 2) await held
        return some(asked)
      }
      const other = await start(sibling)
      await vi.waitFor(async () => expect((await show(sibling, other)).progress.pages).toBe(2), PATIENCE)
      await cancel(run_id)
      go()
      const ended = await reaches(sibling, other, 'succeeded')
      expect(ended).toMatchObject({ attempt: 1, progress: { records: 20 } })
    },
  )

  verifies(
    ['OWNR-027', 'OWNR-034'],
    'only the owner in person cancels: an agent’s bearer is refused everywhere, and the run goes on',
    async () => {
      const { connection_id, run_id } = await hanging()
      const refused = await hub.ask('POST', `/_ref/runs/${run_id}/cancel`)
      expect([refused.status, refused.body.error]).toMatchObject([
        401,
        { type: 'authentication_error', code: 'authentication_error' },
      ])
      for (const path of [`/v1/owner/runs/${run_id}/cancel`, `${at(connection_id)}/runs/${run_id}/cancel`])
        expect((await hub.ask('POST', path)).status).toBe(404)
      const body = JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'tools/call',
        params: { name: 'cancel_run', arguments: { run_id } },
      })
      const headers = { accept: 'application/json, text/event-stream' }
      const { bearer } = hub
      expect((await send(hub.url, { method: 'POST', path: '/mcp', bearer, body, headers })).status).toBe(403)
      const stranger = await send(hub.url, { method: 'POST', path: `/_ref/runs/${run_id}/cancel` })
      expect(stranger.status).toBe(401)
      expect((await show(connection_id, run_id)).status).toBe('running')
    },
  )

  verifies(['OWNR-065', 'OWNR-016'], 'what is revoked does not run; what runs is not deleted', async () => {
    const { connection_id, run_id } = await hanging()
    const before = await restOf(connection_id)
    const busy = await hub.ask('DELETE', at(connection_id))
    expect([busy.status, busy.body.error.code]).toEqual([409, 'connection_run_active'])
    expect(await restOf(connection_id)).toEqual(before)
    await cancel(run_id)
    await reaches(connection_id, run_id, 'cancelled')
    expect((await hub.ask('POST', `${at(connection_id)}/revoke`)).status).toBe(200)
    const refused = await hub.ask('POST', `${at(connection_id)}/run`)
    expect([refused.status, refused.body.error]).toMatchObject([
      400,
      { type: 'invalid_request_error', code: 'connector_instance_inactive' },
    ])
    expect((await hub.ask('GET', `${at(connection_id)}/runs`)).body.data).toHaveLength(1)
  })

  test('a queued run is cancelled at once; a connection that is paused can still be cancelled', async () => {
    const { connection_id, run_id } = await hanging()
    const put = await hub.ask('PUT', `${at(connection_id)}/schedule`, { interval_seconds: 600 })
    expect(put.status).toBe(200)
    expect((await hub.ask('POST', `${at(connection_id)}/schedule/pause`)).body.schedule.enabled).toBe(false)
    expect((await cancel(run_id)).status).toBe(200)
    await reaches(connection_id, run_id, 'cancelled')
    source.answer = () => ({ fault: 'rate_limited', retry_after_seconds: 3_000 })
    const later = await start(connection_id)
    const waiting = await reaches(connection_id, later, 'queued').then(() =>
      vi.waitFor(async () => {
        const run = await show(connection_id, later)
        expect(run.fault?.code).toBe('rate_limited')
        return run
      }, PATIENCE),
    )
    expect(waiting).toMatchObject({ status: 'queued', attempt: 1 })
    expect((await cancel(later)).body).toMatchObject({ status: 'cancelled', ended_at: expect.any(String) })
    expect((await eventsOf(connection_id, later)).map(({ type }) => type)).toEqual([
      'run.queued',
      'run.started',
      'run.retried',
      'run.cancelled',
    ])
  })

  test('a run that its source refuses has failed; what a collector sends wrongly keeps nothing', async () => {
    const connection_id = await connect(hub.hub, source.url)
    for (const [answer, code] of [
      [{ fault: 'needs_attention' }, 'needs_attention'],
      [{ next: 1, stream: 'undeclared', upserts: [] }, 'bad_answer'],
      [{ next: 1, upserts: [{ key: 'large', data: { text: 'x'.repeat(1_100_000) } }] }, 'too_large'],
      [{ next: 'x'.repeat(8_400_000), upserts: [] }, 'too_large'],
      [{ next: 1, upserts: [{ key: 'a\u0000b', data: {} }] }, 'bad_answer'],
      [{ next: 1, upserts: [{ key: 'list', data: [] as never }] }, 'bad_answer'],
    ] as const) {
      source.answer = () => answer as never
      const run = await reaches(connection_id, await start(connection_id), 'failed')
      expect(run).toMatchObject({ fault: { code }, progress: { pages: 0 } })
    }
    const { records, record_streams } = await everythingOf(hub, connection_id)
    expect([records, record_streams]).toEqual([[], []])
  })

  test('a revoked connection stops collecting in the middle of its run', async () => {
    source.answer = paged(1_000_000, 1)
    const connection_id = await connect(hub.hub, source.url)
    const run_id = await start(connection_id)
    await vi.waitFor(
      async () => expect((await show(connection_id, run_id)).progress.pages).toBeGreaterThan(0),
      PATIENCE,
    )
    expect((await hub.ask('POST', `${at(connection_id)}/revoke`)).status).toBe(200)
    const { records } = await everythingOf(hub, connection_id)
    const run = await reaches(connection_id, run_id, 'cancelled')
    expect(run.cancel_reason).toBe('connection_revoked')
    expect((await everythingOf(hub, connection_id)).records).toEqual(records)
  })

  test('progress is told while it happens, and waited for', async () => {
    const { promise: held, resolve: go } = Promise.withResolvers<void>()
    const some = paged(2, 10)
    source.answer = async (asked) => {
      if (asked.from !== null) await held
      return some(asked)
    }
    const connection_id = await connect(hub.hub, source.url)
    const run_id = await start(connection_id)
    const run = await vi.waitFor(async () => {
      const found = await show(connection_id, run_id)
      expect(found.progress.pages).toBe(1)
      return found
    }, PATIENCE)
    expect(run.progress).toMatchObject({ records: 10, total: 20, seconds_left: expect.any(Number) })
    expect(run.progress.bytes).toBeGreaterThan(0)
    expect(run.progress.records_per_second).toBeGreaterThan(0)
    const path = `${at(connection_id)}/runs/${run_id}/events`
    const { body } = await hub.ask('GET', path)
    expect(body.data.map(({ type }: { type: string }) => type)).toEqual([
      'run.queued',
      'run.started',
      'run.progress',
    ])
    const next = hub.ask('GET', `${path}?after=${body.next_after}&wait_seconds=25`)
    go()
    expect((await next).body.data[0].type).toMatch(/^run\.(progress|succeeded)$/)
    await reaches(connection_id, run_id, 'succeeded')
  })
})
