import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { insertConnection, newConnectionId } from '../../src/domains/control/connections/connection-store.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { startHub } from '../../src/surfaces/http/start-hub.ts'
import { runInProcess } from '../harness/call-cli.ts'
import { type OwnedHub, startOwnedHub } from './connection-samples.ts'
import { connect, installConnector, paged, type RunSource, startSource } from './run-source.ts'

const PATIENCE = { timeout: 30_000, interval: 100 }

let hub: OwnedHub
let source: RunSource
beforeAll(async () => {
  source = await startSource()
  hub = await startOwnedHub()
  installConnector(hub.home)
})
afterAll(async () => {
  await hub.close()
  await source[Symbol.asyncDispose]()
})

const at = (connection_id: string) => `/v1/owner/connections/${connection_id}`
const cli = (...argv: string[]) => runInProcess(argv, hub.options.env)

async function ended(connection_id: string, run_id: string) {
  return vi.waitFor(async () => {
    const { body } = await hub.ask('GET', `${at(connection_id)}/runs/${run_id}`)
    expect(['succeeded', 'failed', 'cancelled']).toContain(body.status)
    return body
  }, PATIENCE)
}

async function collected(answer: RunSource['answer']): Promise<string> {
  source.answer = answer
  const connection_id = await connect(hub.hub, source.url)
  const { body } = await hub.ask('POST', `${at(connection_id)}/run`)
  expect((await ended(connection_id, body.run_id)).status).toBe('succeeded')
  return connection_id
}

describe('records', () => {
  test('are listed by stream, page by page, and found by key', async () => {
    const connection_id = await collected(paged(3, 10))
    const streams = await hub.ask('GET', `${at(connection_id)}/streams`)
    expect(streams.body.data).toMatchObject([{ stream: 'items', record_count: 30, cursor: '30' }])
    const path = `${at(connection_id)}/streams/items/records`
    const keys: string[] = []
    for (let cursor: string | null = '0'; cursor !== null; ) {
      const { body }: { body: { data: { key: string }[]; next_cursor: string | null } } = await hub.ask(
        'GET',
        `${path}?limit=7&cursor=${cursor}`,
      )
      keys.push(...body.data.map(({ key }) => key))
      cursor = body.next_cursor
    }
    expect(keys).toEqual(Array.from({ length: 30 }, (_, n) => `k${n}`))
    const one = await hub.ask('GET', `${at(connection_id)}/streams/items/record?key=k7`)
    expect(one.body).toMatchObject({ object: 'owner_record', key: 'k7', data: { n: 7 } })
    const none = await hub.ask('GET', `${at(connection_id)}/streams/items/record?key=nope`)
    expect([none.status, none.body.error.code]).toEqual([404, 'record_not_found'])
    for (const query of ['cursor=x', 'cursor=1&changes_since=1', 'limit=0', 'limit=501']) {
      const bad = await hub.ask('GET', `${path}?${query}`)
      expect([query, bad.status, bad.body.error.code]).toEqual([query, 400, 'invalid_request'])
    }
    expect((await hub.ask('GET', `${at('conn_none')}/streams/items/records`)).status).toBe(404)
  })

  test('that changed or are gone since a cursor are told in order, each once', async () => {
    const connection_id = await collected(paged(1, 10))
    const path = `${at(connection_id)}/streams/items/records`
    const { changes_cursor } = (await hub.ask('GET', path)).body
    source.answer = ({ from }) =>
      from === 1
        ? {
            next: 2,
            upserts: [
              { key: 'k1', data: { n: 100 } },
              { key: 'k2', data: { n: 2 } },
            ],
            removals: ['k3', 'k4', 'unknown'],
          }
        : 'end'
    const { body } = await hub.ask('POST', `${at(connection_id)}/run`)
    await ended(connection_id, body.run_id)
    const told: string[] = []
    let since = changes_cursor as string
    for (let isMore = true; isMore; ) {
      const page = (await hub.ask('GET', `${path}?limit=2&changes_since=${since}`)).body
      for (const one of page.data) told.push(`${one.object} ${one.key}`)
      since = page.next_cursor ?? page.changes_cursor
      isMore = page.next_cursor !== null
    }
    expect(told).toEqual(['owner_record k1', 'owner_record_removal k3', 'owner_record_removal k4'])
    expect((await hub.ask('GET', `${path}?changes_since=${since}`)).body.data).toEqual([])
    expect((await hub.ask('GET', `${at(connection_id)}/streams`)).body.data[0].record_count).toBe(8)
  })
})

describe('the events of a run', () => {
  test('tell as much as the run itself: counts, rates and the time left', async () => {
    const connection_id = await collected(paged(2, 10))
    const [run] = (await hub.ask('GET', `${at(connection_id)}/runs`)).body.data
    const { body } = await hub.ask('GET', `${at(connection_id)}/runs/${run.run_id}/events`)
    const told = (type: string) => body.data.find((event: { type: string }) => event.type === type).data
    const rates = { records_per_second: expect.any(Number), bytes_per_second: expect.any(Number) }
    expect(told('run.progress').progress).toMatchObject({
      ...rates,
      records: 10,
      total: 20,
      seconds_left: expect.any(Number),
    })
    expect(told('run.succeeded').progress).toMatchObject({ ...rates, records: 20, seconds_left: null })
  })
})

const watchLooks = sql<{ count: number }>(
  `SELECT COUNT(*) AS count FROM audit_records WHERE operation = 'owner_run_watch'`,
)

describe('the command line', () => {
  test('starts a run, follows it to its end and lists it', async () => {
    source.answer = paged(2, 5)
    const connection_id = await connect(hub.hub, source.url)
    const started = await cli('owner', 'run', 'start', connection_id, '--json')
    const { run_id } = JSON.parse(started.stdout) as { run_id: string }
    const watched = await cli('owner', 'run', 'watch', connection_id, run_id)
    expect([watched.exit, watched.stdout]).toEqual([0, expect.stringContaining('run.succeeded')])
    expect(watched.stdout).toContain('succeeded: 10 of 10 records')
    const listed = await cli('owner', 'run', 'list', connection_id)
    expect(listed.stdout).toContain(run_id)
    const records = await cli('owner', 'record', 'list', connection_id, 'items')
    expect(records.stdout).toContain('k9')
    const cancelled = await cli('owner', 'run', 'cancel', run_id)
    expect([cancelled.exit, cancelled.stderr]).toEqual([1, expect.stringContaining('run_not_active')])
  })

  test('says when a run is tried again', async () => {
    source.answer = () => ({ fault: 'rate_limited', retry_after_seconds: 3_000 })
    const connection_id = await connect(hub.hub, source.url)
    const { run_id } = (await hub.ask('POST', `${at(connection_id)}/run`)).body
    const { run_at } = await vi.waitFor(async () => {
      const { body } = await hub.ask('GET', `${at(connection_id)}/runs/${run_id}`)
      expect(body).toMatchObject({ status: 'queued', fault: { code: 'rate_limited' } })
      return body
    }, PATIENCE)
    const { stdout } = await cli('owner', 'run', 'show', connection_id, run_id)
    expect(stdout).toContain(`next try ${run_at}, 1 of 5 made\n`)
    const stopped = await cli('owner', 'run', 'cancel', run_id)
    expect([stopped.exit, stopped.stdout.includes('next try')]).toEqual([0, false])
  })

  test('goes on following after the first events', async () => {
    const { promise: held, resolve: goOn } = Promise.withResolvers<void>()
    const { promise: under_way, resolve: beUnderWay } = Promise.withResolvers<void>()
    source.answer = async (asked) => {
      if (asked.from !== null) {
        beUnderWay()
        await held
      }
      return paged(2, 5)(asked)
    }
    const connection_id = await connect(hub.hub, source.url)
    const started = await cli('owner', 'run', 'start', connection_id, '--json')
    const { run_id } = JSON.parse(started.stdout) as { run_id: string }
    const [before] = await hub.hub.db.all(watchLooks)
    const watching = cli('owner', 'run', 'watch', connection_id, run_id)
    await vi.waitFor(async () => {
      const [after] = await hub.hub.db.all(watchLooks)
      expect(after?.count).toBeGreaterThan(before?.count as number)
    }, PATIENCE)
    await under_way
    const briefly = await cli('owner', 'run', 'watch', connection_id, run_id, '--wait', '1s')
    expect([briefly.exit, briefly.stdout]).toEqual([0, expect.stringContaining('running: ')])
    goOn()
    const { exit, stdout } = await watching
    expect([exit, stdout]).toEqual([0, expect.stringMatching(/run\.queued\n[^]*run\.succeeded: 10 of 10/)])
  })

  test('fails when the run it follows did not succeed, and says why', async () => {
    source.answer = () => ({ fault: 'needs_attention' })
    const connection_id = await connect(hub.hub, source.url)
    const started = await cli('owner', 'run', 'start', connection_id, '--json')
    const { run_id } = JSON.parse(started.stdout) as { run_id: string }
    const watched = await cli('owner', 'run', 'watch', connection_id, run_id)
    expect([watched.exit, watched.stdout]).toEqual([1, expect.stringContaining('needs_attention')])
  })
})

const watches = sql<{ owner: string }>('SELECT owner FROM connection_watches WHERE connection_id = ?')

test('a watched folder is collected when it changes, by one hub of two', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-notes-'))
  const other = await startHub({ ...hub.options, host: '127.0.0.1', port: 0 })
  try {
    mkdirSync(join(folder, 'deep'))
    writeFileSync(join(folder, 'first.md'), '# First')
    const connection_id = newConnectionId(hub.hub.system)
    const now = new Date().toISOString()
    await hub.hub.db.transaction((tx) =>
      insertConnection(tx, {
        connection_id,
        connector_id: 'folder',
        display_name: null,
        status: 'active',
        source_kind: 'local_collector',
        settings_json: JSON.stringify({ folder }),
        created_at: now,
        updated_at: now,
        revoked_at: null,
        last_seq: 0,
      }),
    )
    const keysAre = (count: number) =>
      vi.waitFor(async () => {
        const { body } = await hub.ask('GET', `${at(connection_id)}/streams/notes/records`)
        expect(body.data).toHaveLength(count)
      }, PATIENCE)
    await keysAre(1)
    const [held] = await hub.hub.db.all(watches, connection_id)
    writeFileSync(join(folder, 'deep', 'second.md'), '# Second')
    await keysAre(2)
    expect(await hub.hub.db.all(watches, connection_id)).toEqual([held])
    const { body } = await hub.ask('GET', `${at(connection_id)}/runs`)
    expect(new Set(body.data.map(({ cause }: { cause: string }) => cause))).toEqual(new Set(['change']))
    expect((await hub.ask('POST', `${at(connection_id)}/revoke`)).status).toBe(200)
  } finally {
    await other.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}, 90_000)
