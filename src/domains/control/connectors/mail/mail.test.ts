import { createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import fc from 'fast-check'
import { ImapFlow } from 'imapflow'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { SourceFault } from '../connector.ts'
import { guardCollector } from '../guard-collector.ts'
import type { ConnectorManifest } from '../manifest-schema.ts'
import { collectBrokenOff, collectPages, openTestSource } from '../source.fixture.ts'
import { mailCollector } from './collector.ts'
import { type MailServer, startMailServer } from './mail-server.fixture.ts'
import { parseMail } from './parse-mail.ts'
import { numbersIn, readRanges, toRanges } from './uid-set.ts'

const PASSWORD = 'sentinel-pass-7x2'
let server: MailServer
beforeAll(async () => {
  server = await startMailServer(PASSWORD)
})
afterAll(() => server[Symbol.asyncDispose]())

const message = (n: number, body = `Body ${n}`) =>
  `From: Ada <ada@example.org>\r\nTo: bob@example.org\r\nSubject: =?utf-8?q?N=C2=B0_${n}?=\r\n` +
  `Message-ID: <m${n}@example.org>\r\nDate: Tue, 10 Jun 2025 04:00:00 +0000\r\n\r\n${body}\r\n`

const settings = () => ({ host: '127.0.0.1', port: String(server.port), user: server.user })
const openMail = (secret = PASSWORD) =>
  openTestSource({ settings: settings(), secrets: { password: secret } })

async function withClient(use: (client: ImapFlow) => Promise<unknown>): Promise<void> {
  const auth = { user: server.user, pass: PASSWORD }
  const client = new ImapFlow({ host: '127.0.0.1', port: server.port, secure: false, auth, logger: false })
  await client.connect()
  await client.mailboxOpen('INBOX')
  await use(client)
  await client.logout()
}

describe('a mailbox', () => {
  test('is read once, then what is new; what was deleted is removed, and nothing is marked as read', async () => {
    for (const n of [1, 2, 3]) server.deliver(message(n))
    await using source = openMail()
    expect(await mailCollector.probe(source)).toEqual({ display_name: 'ada' })
    const first = await collectPages(mailCollector, source)
    expect(first.records.size).toBe(3)
    expect([...first.records.values()][0]).toEqual({
      subject: 'N° 1',
      from: [{ name: 'Ada', address: 'ada@example.org' }],
      to: [{ name: '', address: 'bob@example.org' }],
      cc: [],
      sent_at: '2025-06-10T04:00:00.000Z',
      received_at: expect.any(String),
      message_id: '<m1@example.org>',
      in_reply_to: null,
      text: 'Body 1\n',
      is_cut: false,
      is_readable: true,
      attachments: [],
      size_bytes: expect.any(Number),
    })
    server.deliver(message(4))
    await withClient((client) => client.messageDelete('2', { uid: true }))
    const later = await collectPages(mailCollector, source, { before: first })
    expect(later.upserted).toHaveLength(1)
    expect(later.removed).toEqual([first.upserted[1]])
    expect((await collectPages(mailCollector, source, { before: later })).upserted).toEqual([])
    await withClient(async (client) => {
      for await (const { flags } of client.fetch('1:*', { flags: true }))
        expect(flags?.has('\\Seen')).toBe(false)
    })
  })

  test('that was made anew has other messages, and the former ones are gone', async () => {
    await using source = openMail()
    const first = await collectPages(mailCollector, source)
    // Mailboxes are told apart by the second in which they were made.
    const made_at = Number(/:(\d+)\//.exec([...first.records.keys()][0] as string)?.[1])
    while (Date.now() < (made_at + 1) * 1_000) await pause(50)
    server.startAnew()
    server.deliver(message(9))
    const later = await collectPages(mailCollector, source, { before: first })
    expect(later.removed.toSorted()).toEqual([...first.records.keys()].toSorted())
    expect([...later.records.values()].map(({ subject }) => subject)).toEqual(['N° 9'])
  })

  test('goes on where it was broken off', async () => {
    for (let n = 100; n < 330; n++) server.deliver(message(n))
    await using source = openMail()
    const { whole, broken } = await collectBrokenOff(mailCollector, source)
    expect([whole.records.size, broken.length]).toEqual([231, 2])
    expect(whole.pages[0]).toMatchObject({ total: 231 })
    for (const { records, upserted } of broken) {
      expect(records).toEqual(whole.records)
      expect(new Set(upserted).size).toBe(upserted.length)
    }
  })

  test('with a huge message gives its beginning', async () => {
    server.deliver(message(500, 'y'.repeat(3_000_000)))
    await using source = openMail()
    const { records } = await collectPages(mailCollector, source)
    const [huge] = [...records.values()].filter(({ subject }) => subject === 'N° 500')
    expect(huge).toMatchObject({ is_cut: true, size_bytes: expect.any(Number) })
    expect(String(huge?.text).length).toBeLessThanOrEqual(200_000)
  })

  test('is left alone at once when the run is cancelled', async () => {
    const cancel = new AbortController()
    await using source = openTestSource({
      settings: settings(),
      secrets: { password: PASSWORD },
      signal: cancel.signal,
    })
    const work = (async () => {
      for await (const _ of mailCollector.collect(source)) cancel.abort(new Error('enough'))
    })()
    await expect(work).rejects.toEqual(new Error('enough'))
  })
})

describe('what goes wrong', () => {
  const manifest: ConnectorManifest = {
    connector_id: 'mail',
    display_name: 'Mail',
    version: '1.0.0',
    connector_modality: 'api_network',
    setup_modality: 'static_secret',
    support_state: 'supported',
    reason: '-',
    streams: ['messages'],
    settings: [],
  }

  test('a wrong password needs the owner, and is told nowhere', async () => {
    await using source = openMail('sentinel-wrong-41')
    const fault = await guardCollector(manifest, mailCollector)
      .probe(source)
      .catch((error: SourceFault) => error)
    expect(fault).toMatchObject({ code: 'needs_attention' })
    expect(JSON.stringify([fault, String((fault as Error).stack), source.logged])).not.toContain('sentinel')
  })

  test('an unknown mailbox is not found', async () => {
    await using source = openTestSource({
      settings: { ...settings(), mailbox: 'Elsewhere' },
      secrets: { password: PASSWORD },
    })
    await expect(mailCollector.probe(source)).rejects.toMatchObject({ code: 'not_found' })
  })

  test('a closed address is refused before anything is sent', async () => {
    await using source = openTestSource({
      settings: settings(),
      secrets: { password: PASSWORD },
      reach: { allow_addresses: [] },
    })
    await expect(mailCollector.probe(source)).rejects.toMatchObject({ code: 'refused' })
  })

  test('a server that sends without end is given up', async () => {
    const endless = createServer((socket) => {
      socket.on('error', () => {})
      socket.write('* OK ')
      const more = () => socket.write('x'.repeat(1_000_000), () => socket.writable && setImmediate(more))
      more()
    })
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve))
    const { port } = endless.address() as { port: number }
    await using source = openTestSource({
      settings: { host: '127.0.0.1', port: String(port), user: 'x' },
      secrets: { password: PASSWORD },
    })
    const fault = await mailCollector.probe(source).catch((error: SourceFault) => error)
    expect(['too_large', 'unreachable']).toContain((fault as SourceFault).code)
    endless.close()
  })
})

const read = async (source: string | Buffer) => {
  const bytes = Buffer.from(source)
  const raw = { key: 'k', source: bytes, size_bytes: bytes.length, received_at: null }
  return (await parseMail([raw]))[0]?.data
}

describe('messages', () => {
  test('of HTML alone give its text, without what is not seen', async () => {
    const html = '<style>p{}</style><p>Hello &amp; <b>good</b></p><script>x</script><p>bye</p>'
    const data = await read(`Subject: s\r\nContent-Type: text/html\r\n\r\n${html}`)
    expect(data).toMatchObject({ text: 'Hello & good\n\nbye' })
  })

  test('tell of their attachments without keeping them', async () => {
    const parts =
      '--b\r\nContent-Type: text/plain\r\n\r\nhi\r\n--b\r\nContent-Type: image/png; name="a.png"\r\n' +
      'Content-Disposition: attachment; filename="a.png"\r\nContent-Transfer-Encoding: base64\r\n\r\nAAAA\r\n--b--'
    const data = await read(`Subject: s\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n${parts}`)
    expect(data).toMatchObject({ attachments: [{ name: 'a.png', type: 'image/png', size_bytes: 3 }] })
  })

  test('that are nested too deep are kept as unreadable', async () => {
    const deep = Array.from(
      { length: 400 },
      (_, n) => `Content-Type: multipart/mixed; boundary=b${n}\r\n\r\n--b${n}\r\n`,
    ).join('')
    expect(await read(deep)).toMatchObject({ is_readable: false })
  })

  test('of whatever bytes become a record', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), fc.string(), async (bytes, text) => {
        expect(await read(Buffer.concat([Buffer.from(`Subject: ${text}\r\n`), bytes]))).toHaveProperty('text')
      }),
      { numRuns: 150 },
    )
  })
})

test('numbers survive as runs', () => {
  fc.assert(
    fc.property(fc.uniqueArray(fc.integer({ min: 1, max: 300 })), (uids) => {
      const ranges = readRanges(JSON.parse(JSON.stringify(toRanges(uids))))
      expect([...numbersIn(ranges, 1_000)]).toEqual(uids.toSorted((a, b) => a - b))
    }),
  )
})
