import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import {
  type MailServer,
  startMailServer,
} from '../../src/domains/control/connectors/mail/mail-server.fixture.ts'
import { startWebServer, type WebServer } from '../../src/domains/control/connectors/web-server.fixture.ts'
import { sql } from '../../src/platform/storage/database.ts'
import { DATABASES, startTestHub, type TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { everythingKept, LOOPBACK_SOURCES, meet, type People } from './intents.fixture.ts'

const PATIENCE = { timeout: 60_000, interval: 100 }
const PASSWORD = 'sentinel-mail-password'
const SECRET_PATH = 'sentinel-secret-path'
const FEED = `<rss version="2.0"><channel><title>News</title><item><guid isPermaLink="false">g1</guid>
<title>One</title><link>one</link></item></channel></rss>`
const CALENDAR = `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nBEGIN:VEVENT\r\nUID:e1\r\nDTSTAMP:20260101T000000Z\r
DTSTART:20260301T100000Z\r\nSUMMARY:Lunch\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n`
const ORDERS = 'Order ID,Order Date,Product Name,ASIN\n303-1,2026-01-05T10:00:00Z,A kettle,B00A\n'
const runRows = sql<Record<string, unknown>>('SELECT * FROM collection_runs')
const runEvents = sql<Record<string, unknown>>('SELECT * FROM collection_run_events')
const recordRows = sql<Record<string, unknown>>('SELECT * FROM records')

let folder: string
let mail: MailServer
let web: WebServer
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'knowtation-collect-'))
  mkdirSync(join(folder, 'notes'))
  mkdirSync(join(folder, 'repository'))
  writeFileSync(join(folder, 'notes', 'a.md'), '# A note\n')
  writeFileSync(join(folder, 'repository', 'README.md'), '# Project\n')
  const git = (...args: string[]) =>
    execFileSync('/usr/bin/git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
      cwd: join(folder, 'repository'),
    })
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-q', '-m', 'First')
  mail = await startMailServer(PASSWORD)
  mail.deliver('From: ada@example.org\r\nSubject: Hello\r\n\r\nBody\r\n')
  web = await startWebServer((_, response) => response.end(FEED))
})
afterAll(async () => {
  await mail[Symbol.asyncDispose]()
  await web[Symbol.asyncDispose]()
  rmSync(folder, { recursive: true, force: true })
})

describe.each(DATABASES)('sources of every kind, on %s', (database) => {
  let hub: TestHub
  let people: People
  beforeAll(async () => {
    hub = await startTestHub({ database, config: LOOPBACK_SOURCES })
    people = await meet(hub)
  })
  afterAll(() => hub.close())

  const begin = async (connector_id: string, values: Record<string, string>): Promise<string> => {
    const { intent_id } = await people.begin(connector_id)
    const { status, body } = await people.asOwner('POST', `/_ref/intents/${intent_id}/complete`, { values })
    expect([status, body.state, body.error]).toEqual([200, 'completed', undefined])
    return String(body.connection_id)
  }
  const enroll = async (): Promise<string> => {
    const { next_step } = await people.begin('folder')
    const input = { code: next_step.enrollment_code, folder: join(folder, 'notes') }
    const { body } = await people.asOwner('POST', '/_ref/collectors/enroll', input)
    return String(body.connection_id)
  }
  /** Runs a connection to its end, and answers the keys of a stream. */
  const collect = async (connection_id: string, stream: string): Promise<string[]> => {
    const at = `/v1/owner/connections/${connection_id}`
    // A change that was noticed may have begun a run of its own, which has to end first.
    const run_id = await vi.waitFor(async () => {
      const { status, body } = await people.asAgent('POST', `${at}/run`)
      expect(status).toBe(202)
      return body.run_id
    }, PATIENCE)
    await vi.waitFor(async () => {
      const { body } = await people.asAgent('GET', `${at}/runs/${run_id}`)
      expect([body.status, body.fault]).toEqual(['succeeded', null])
    }, PATIENCE)
    const { body } = await people.asAgent('GET', `${at}/streams/${stream}/records`)
    return (body.data as { key: string }[]).map(({ key }) => key)
  }

  test('are connected, run and kept: folder, git, feed, calendar, mail', async () => {
    expect(await collect(await enroll(), 'notes')).toEqual(['a.md'])
    const git = await begin('git', { repository: join(folder, 'repository') })
    expect(await collect(git, 'files')).toEqual(['README.md'])
    const feed = await begin('feed', { secret_url: `${web.url}/${SECRET_PATH}/feed` })
    expect(await collect(feed, 'items')).toEqual(['g1'])
    expect(await collect(await begin('calendar', { file: CALENDAR }), 'events')).toEqual(['e1'])
    const settings = { host: '127.0.0.1', port: String(mail.port), user: mail.user, password: PASSWORD }
    expect(await collect(await begin('mail', settings), 'messages')).toHaveLength(1)
  }, 180_000)

  test('a source that refuses makes no connection', async () => {
    const { intent_id } = await people.begin('mail')
    const values = { host: '127.0.0.1', port: String(mail.port), user: 'ada', password: 'sentinel-wrong' }
    const { status } = await people.asOwner('POST', `/_ref/intents/${intent_id}/complete`, { values })
    expect(status).toBeGreaterThanOrEqual(400)
    const { body } = await people.asAgent('GET', `/_ref/intents/${intent_id}`)
    expect(JSON.stringify(body)).not.toContain('sentinel')
  })

  verifies(
    ['OWNR-049', 'OWNR-051'],
    'two Amazon accounts are two connections of one connector',
    async () => {
      const ids = [await begin('amazon', { file: ORDERS }), await begin('amazon', { file: ORDERS })]
      for (const id of ids) expect(await collect(id, 'orders')).toEqual(['303-1/B00A'])
      const { body } = await people.asAgent('GET', '/v1/owner/connections?connector_id=amazon')
      const rows = body.data as { connection_id: string; connector_id: string; connector_key: string }[]
      expect(rows.map(({ connection_id }) => connection_id).toSorted()).toEqual(ids.toSorted())
      for (const row of rows) expect(row).toMatchObject({ connector_id: 'amazon', connector_key: 'amazon' })
    },
    120_000,
  )

  test('no credential is in anything that was stored in clear, logged or answered', async () => {
    const rows = [
      await hub.hub.db.all(runRows),
      await hub.hub.db.all(runEvents),
      await hub.hub.db.all(recordRows),
    ]
    const shown = await people.asAgent('GET', '/v1/owner/connections')
    const kept = JSON.stringify([rows, shown]) + (await everythingKept(hub))
    expect(kept).toContain('README.md')
    expect(kept).not.toContain('sentinel')
  })
})
