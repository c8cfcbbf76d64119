import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DATABASES } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { everythingOf, type OwnedHub, startOwnedHub } from './connection-samples.ts'
import { connect, installConnector } from './run-source.ts'

/** No run begins here, so nobody listens there. */
const NOWHERE = 'http://127.0.0.1:9'

let hub: OwnedHub

const at = (connection_id: string) => `/v1/owner/connections/${connection_id}`

describe.each(DATABASES)('schedules on %s', (database) => {
  beforeAll(async () => {
    hub = await startOwnedHub({ database })
    installConnector(hub.home)
  })
  afterAll(() => hub.close())

  verifies('OWNR-071', 'a schedule is paused and resumed for one connection alone', async () => {
    const [one, other] = [await connect(hub.hub, NOWHERE), await connect(hub.hub, NOWHERE)]
    for (const id of [one, other])
      expect((await hub.ask('PUT', `${at(id)}/schedule`, { cron: '0 3 * * *' })).status).toBe(200)
    const before = await everythingOf(hub, other)
    const paused = await hub.ask('POST', `${at(one)}/schedule/pause`)
    expect([paused.status, paused.body.schedule]).toMatchObject([
      200,
      { enabled: false, next_run_at: null, cron: '0 3 * * *' },
    ])
    expect((await hub.ask('POST', `${at(one)}/schedule/pause`)).body).toEqual(paused.body)
    expect(await everythingOf(hub, other)).toEqual(before)
    const resumed = await hub.ask('POST', `${at(one)}/schedule/resume`)
    expect(resumed.body.schedule).toMatchObject({
      enabled: true,
      next_run_at: expect.stringMatching(/T03:00/),
    })
    // Once more changes nothing, not even when it comes next; setting it anew takes it up again.
    const set = await everythingOf(hub, one)
    expect((await hub.ask('POST', `${at(one)}/schedule/resume`)).body).toEqual(resumed.body)
    expect(await everythingOf(hub, one)).toEqual(set)
    await hub.ask('POST', `${at(one)}/schedule/pause`)
    const anew = await hub.ask('PUT', `${at(one)}/schedule`, { interval_seconds: 600 })
    expect(anew.body.schedule).toMatchObject({ enabled: true, next_run_at: expect.any(String) })
    expect((await hub.ask('DELETE', `${at(one)}/schedule`)).status).toBe(204)
    for (const [method, path, status, code] of [
      ['DELETE', '/schedule', 404, 'schedule_not_found'],
      ['POST', '/schedule/pause', 409, 'connection_not_scheduled'],
      ['POST', '/schedule/resume', 409, 'connection_not_scheduled'],
    ] as const) {
      const gone = await hub.ask(method, `${at(one)}${path}`)
      expect([gone.status, gone.body.error.code]).toEqual([status, code])
    }
    const both = await hub.ask('POST', '/v1/owner/connectors/sample/schedule/pause')
    expect([both.status, both.body.error.code]).toEqual([409, 'ambiguous_connection'])
    expect(await everythingOf(hub, other)).toEqual(before)
  })

  verifies(
    'OWNR-042',
    'no offered action of a connection without a schedule is at a missing address',
    async () => {
      const connection_id = await connect(hub.hub, NOWHERE)
      await hub.ask('DELETE', `${at(connection_id)}/schedule`)
      const shown = await hub.ask('GET', at(connection_id))
      expect(shown.body.schedule).toBeNull()
      type Action = { family: string; method: string | null; url: string | null }
      const offered = (shown.body.supported_actions as Action[]).filter(({ url }) => url !== null)
      expect(offered.map(({ family }) => family)).toContain('manage_schedule')
      // Deleting comes last: what is gone answers 404 with good reason.
      offered.sort((a, b) => Number(a.method === 'DELETE') - Number(b.method === 'DELETE'))
      for (const { family, method, url } of offered) {
        const { status } = await hub.ask(method as string, new URL(url as string).pathname, {})
        expect([family, status], family).not.toEqual([family, expect.toBeOneOf([404, 405])])
      }
    },
  )

  test('a cron line has 120 signs at most', async () => {
    const connection_id = await connect(hub.hub, NOWHERE)
    const set = (cron: string) => hub.ask('PUT', `${at(connection_id)}/schedule`, { cron })
    const longest = `${'0,'.repeat(55)}10 * * * *`
    expect([longest.length, (await set(longest)).status]).toEqual([120, 200])
    const stored = await everythingOf(hub, connection_id)
    const longer = `${'0,'.repeat(54)}10,10 * * * *`
    const { status, body } = await set(longer)
    expect([longer.length, status, body.error.type]).toEqual([121, 400, 'invalid_request_error'])
    expect(await everythingOf(hub, connection_id)).toEqual(stored)
  })

  test('a schedule that never comes, or says two things, is refused and nothing is set', async () => {
    const connection_id = await connect(hub.hub, NOWHERE)
    for (const timing of [
      { cron: '* * * *' },
      { cron: '61 * * * *' },
      { cron: '* * * * * *' },
      { cron: '0 0 31 2 *' },
      { cron: '' },
      { cron: '0 3 * * *', timezone: 'Mars/Olympus' },
      { cron: '0 3 * * *', interval_seconds: 60 },
      {},
      { interval_seconds: 59 },
      { interval_seconds: 2_678_401 },
    ]) {
      const { status, body } = await hub.ask('PUT', `${at(connection_id)}/schedule`, timing)
      expect([timing, status, body.error?.code]).toEqual([timing, 400, 'invalid_request'])
    }
    expect((await everythingOf(hub, connection_id)).connection_schedules).toEqual([])
  })
})
