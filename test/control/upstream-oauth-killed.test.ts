import { afterEach, describe, expect, test } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { spawnHub } from '../e2e/hub-process.fixture.ts'
import { DATABASES, type DatabaseName } from '../harness/test-hub.ts'
import { connected, openStages } from './guarded-stage.fixture.ts'
import { eventsOf } from './intents.fixture.ts'
import { grantFor } from './provider-grant.fixture.ts'

const { ends, endAll, openStage } = openStages()
afterEach(endAll)

/** The lease of a hub that is gone ends by itself after a minute; here it has passed. */
const passMinute = sql(`UPDATE connection_authorizations SET renewing_until = '2000-01-01T00:00:00.000Z'`)

/** Two hubs on one home: this one, and one that can be killed. */
async function openTwo(database: DatabaseName) {
  const stage = await openStage(database, { access_seconds: 5 })
  const { hub, server } = stage
  const connection = await connected(stage)
  const provider = { kind: 'mcp', url: server.url, tool: 'echo', credentials: { connection } }
  const grant = await grantFor(stage, { echo: { ...provider, timeout_seconds: 60 } })
  const url = hub.options.env.KNOWTATION_DATABASE_URL
  const env = url ? { KNOWTATION_DATABASE_URL: url } : {}
  const mortal = await spawnHub({ home: hub.home.folder, env })
  ends.push(() => mortal.end('SIGKILL'))
  await new Promise((done) => setTimeout(done, 5_100))
  return { ...stage, connection, grant, mortal }
}

/** Kills the hub in the middle of a refresh: while the provider has the request, or has answered it to nobody. */
async function killInRefresh(
  { server, grant, mortal }: Awaited<ReturnType<typeof openTwo>>,
  is_carried_out: boolean,
) {
  const killed = Promise.withResolvers<void>()
  server[is_carried_out ? 'beforeAnswer' : 'beforeRefresh'] = async () => {
    server.beforeAnswer = undefined
    server.beforeRefresh = undefined
    await mortal.end('SIGKILL')
    killed.resolve()
    await new Promise(() => {})
  }
  const cut = grant.use('echo', {}, mortal.url).catch(() => 'cut off')
  await killed.promise
  expect(await cut).toBe('cut off')
}

describe.each(DATABASES)('a hub that is killed in the middle of a refresh, on %s', (database) => {
  test('leaves the connection to the next one, which makes one refresh for all and loses nothing', async () => {
    const stage = await openTwo(database)
    const { hub, server, grant } = stage
    await killInRefresh(stage, false)
    const calls = Array.from({ length: 20 }, () => grant.use('echo', {}))
    await hub.hub.db.transaction((tx) => tx.run(passMinute))
    const told = await Promise.all(calls)
    expect(told.map(({ status }) => status)).toEqual(told.map(() => 200))
    expect(server.grants.slice(0, 2)).toEqual(['authorization_code', 'refresh_token'])
    expect(server.grants).not.toContain('!refresh_token')
    expect((await eventsOf(hub)).filter(({ event_type }) => event_type === 'connection.needs_owner')).toEqual(
      [],
    )
  }, 180_000)

  test('where the provider had answered to nobody by then, it is one thing that needs the owner', async () => {
    const stage = await openTwo(database)
    const { hub, server, grant, connection } = stage
    await killInRefresh(stage, true)
    expect(server.grants).toEqual(['authorization_code', 'refresh_token'])
    const calls = Array.from({ length: 20 }, () => grant.use('echo', {}))
    await hub.hub.db.transaction((tx) => tx.run(passMinute))
    const told = await Promise.all(calls)
    expect(new Set(told.map(({ body }) => body.code))).toEqual(new Set(['FLOW_EXTERNAL_PROVIDER_FAILED']))
    // The provider took the second use of one refresh token for a theft; it was asked once, and is asked no more.
    expect((await grant.use('echo', {})).body.code).toBe('FLOW_EXTERNAL_PROVIDER_FAILED')
    expect(server.grants).toEqual(['authorization_code', 'refresh_token', '!refresh_token'])
    const needs = (await eventsOf(hub)).filter(({ event_type }) => event_type === 'connection.needs_owner')
    expect(needs).toEqual([expect.objectContaining({ object_id: connection })])
    expect(await connected(stage, { connection_id: connection })).toBe(connection)
    expect((await grant.use('echo', {})).status).toBe(200)
  }, 180_000)
})
