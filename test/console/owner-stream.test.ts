import { request } from 'node:http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { type OwnedHub, startOwnedHub } from '../control/connection-samples.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { send } from '../rest/rest-hub.fixture.ts'

const PATH = '/v1/owner/stream'
const ends: (() => void | Promise<void>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end()
})

/** A stream that is being listened to, and what it has said. */
interface Listening {
  readonly status: number | undefined
  readonly said: () => string
  readonly isOver: () => boolean
  readonly leave: () => void
}

function listen(hub: OwnedHub, query = '', headers: Record<string, string> = {}): Promise<Listening> {
  const cookie = [...hub.owner.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const host = `${hub.hub.ownerName}:${new URL(hub.url).port}`
  return new Promise((resolve, reject) => {
    const asked = request(
      `${hub.url}${PATH}${query}`,
      { headers: { host, cookie, ...headers } },
      (answer) => {
        let text = ''
        let is_over = false
        answer.setEncoding('utf8').on('data', (part: string) => (text += part))
        answer.once('close', () => (is_over = true))
        ends.push(() => void asked.destroy())
        resolve({
          status: answer.statusCode,
          said: () => text,
          isOver: () => is_over,
          leave: () => void asked.destroy(),
        })
      },
    )
    asked.on('error', reject).end()
  })
}

async function start(options: Parameters<typeof startOwnedHub>[0] = {}): Promise<OwnedHub> {
  const hub = await startOwnedHub(options)
  ends.push(() => hub.close())
  return hub
}

const heard = (stream: Listening, words: string) =>
  vi.waitFor(() => expect(stream.said()).toContain(words), { timeout: 10_000 })

const whoami = (hub: OwnedHub) =>
  send(hub.url, { path: '/api/v1/whoami', bearer: hub.credentials.bearers.viewer })

describe.each(DATABASES)('the stream on %s', (database) => {
  test('begins where the log is, and tells kinds, ids and numbers of what happens then', async () => {
    const hub = await start({ database })
    const stream = await listen(hub)
    await heard(stream, 'event: here')
    await whoami(hub)
    await heard(stream, '"kind":"whoami"')
    const [, line = ''] = /event: changes\ndata: (.*)/.exec(stream.said()) ?? []
    const changes = JSON.parse(line) as object[]
    expect(Object.keys(changes[0] ?? {})).toEqual(['seq', 'kind', 'id', 'outcome', 'vault'])
  })

  test('goes on where a reader was that comes back', async () => {
    const hub = await start({ database })
    const first = await listen(hub)
    await heard(first, 'event: here')
    const [, seq] = /id: (\d+)/.exec(first.said()) ?? []
    first.leave()
    await whoami(hub)
    const second = await listen(hub, '', { 'last-event-id': String(seq) })
    await heard(second, '"kind":"whoami"')
    expect(second.said()).not.toContain('event: here')
  })
})

test('what the owner only reads is no news', async () => {
  const hub = await start()
  const stream = await listen(hub)
  await heard(stream, 'event: here')
  await hub.owner.get('/api/v1/audit')
  await whoami(hub)
  await heard(stream, '"kind":"whoami"')
  expect(stream.said()).not.toContain('audit_list')
})

test('a place that was never reached, or lies too far back, begins anew', async () => {
  const hub = await start()
  const stream = await listen(hub, '?after=999999')
  await heard(stream, 'event: here')
})

test('it ends with the session', async () => {
  const hub = await start()
  const stream = await listen(hub)
  await heard(stream, 'event: here')
  await hub.owner.get('/owner/form-token')
  await hub.owner.post('/owner/sign-out', {})
  await vi.waitFor(() => expect(stream.isOver()).toBe(true), { timeout: 10_000 })
})

test('a lock on everything does not end it', async () => {
  const hub = await start()
  const stream = await listen(hub)
  await heard(stream, 'event: here')
  const body = JSON.stringify({ kind: 'all' })
  const origin = `http://${hub.hub.ownerName}:${new URL(hub.url).port}`
  const headers = { origin, 'content-type': 'application/json' }
  expect((await hub.owner.ask({ method: 'POST', path: '/api/v1/locks', body, headers })).status).toBe(201)
  await heard(stream, '"kind":"lock_add"')
  expect(stream.isOver()).toBe(false)
})

test('nobody but the signed-in owner hears it', async () => {
  const hub = await start()
  const { bearers } = hub.credentials
  const statuses = await Promise.all(
    [undefined, bearers.admin, bearers.viewer].map(
      async (bearer) => (await send(hub.url, { path: PATH, ...(bearer && { bearer }) })).status,
    ),
  )
  expect(statuses).toEqual([401, 401, 401])
  const elsewhere = await listen(hub, '', { 'sec-fetch-site': 'cross-site' })
  expect(elsewhere.status).toBe(401)
})

test('a hub that stops ends its streams', async () => {
  const hub = await startOwnedHub()
  const stream = await listen(hub)
  await heard(stream, 'event: here')
  await hub.close()
  await vi.waitFor(() => expect(stream.isOver()).toBe(true))
})
