import { once } from 'node:events'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { startHub } from '../../src/surfaces/http/start-hub.ts'
import { send } from '../rest/rest-hub.fixture.ts'
import { type OwnedHub, startOwnedHub } from './connection-samples.ts'
import { connect, installConnector, type RunSource, startSource } from './run-source.ts'

const PATIENCE = { timeout: 15_000, interval: 50 }
const countWatches = sql<{ n: number }>(
  `SELECT COUNT(*) AS n FROM audit_records WHERE operation = 'owner_run_watch'`,
)

let source: RunSource
let owned: OwnedHub
let second: Awaited<ReturnType<typeof startHub>>
beforeEach(async () => {
  source = await startSource()
  source.answer = () => ({ fault: 'rate_limited', retry_after_seconds: 3_600 })
  owned = await startOwnedHub()
  installConnector(owned.home)
  second = await startHub({ ...owned.options, host: '127.0.0.1', port: 0 })
})
afterEach(async () => {
  await second.stop()
  await owned.close()
  await source[Symbol.asyncDispose]()
})

/** Where a run that waits for its next attempt is followed for as long as may be. */
async function followed(): Promise<string> {
  const at = `/v1/owner/connections/${await connect(owned.hub, source.url)}`
  const { run_id } = (await owned.ask('POST', `${at}/run`)).body
  const { next_after } = await vi.waitFor(async () => {
    const { body } = await owned.ask('GET', `${at}/runs/${run_id}/events`)
    expect(body.data.at(-1)).toMatchObject({ type: 'run.retried' })
    return body
  }, PATIENCE)
  return `${at}/runs/${run_id}/events?after=${next_after}&wait_seconds=25`
}

test('whoever follows a run that waits is answered when the hub stops, and not cut off', async () => {
  const path = await followed()
  const arrived = once(second.app.server, 'request')
  const watching = send(second.url, { path, bearer: owned.bearer }).catch((error: Error) => error)
  await arrived
  await second.stop()
  expect(await watching).toMatchObject({ status: 200, text: expect.stringContaining('"data":[]') })
}, 90_000)

test('nobody is waited for any more who has left', async () => {
  const path = await followed()
  const before = Number((await owned.hub.db.get(countWatches))?.n)
  const arrived = once(second.app.server, 'request')
  const leaving = new AbortController()
  const headers = { authorization: `Bearer ${owned.bearer}` }
  const watching = fetch(`${second.url}${path}`, { headers, signal: leaving.signal }).catch(() => 'left')
  await arrived
  leaving.abort()
  expect(await watching).toBe('left')
  await vi.waitFor(
    async () => expect(Number((await owned.hub.db.get(countWatches))?.n)).toBe(before + 1),
    PATIENCE,
  )
}, 90_000)
