import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SourceFault } from '../connector.ts'
import { collectBrokenOff, collectPages, openTestSource } from '../source.fixture.ts'
import { startWebServer } from '../web-server.fixture.ts'
import { calendarCollector } from './collector.ts'
import { parseCalendar } from './parse-calendar.ts'

const calendar = (events: string, name = 'Home') =>
  `BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:test\r\nX-WR-CALNAME:${name}\r\n${events}END:VCALENDAR\r\n`
const event = (uid: string, lines: string[] = ['DTSTART:20260301T100000Z']) =>
  [
    'BEGIN:VEVENT',
    `UID:${uid}`,
    'DTSTAMP:20260101T000000Z',
    `SUMMARY:Event ${uid}`,
    ...lines,
    'END:VEVENT',
    '',
  ].join('\r\n')
const events = (count: number) => Array.from({ length: count }, (_, n) => event(`e${n}`)).join('')

async function startCalendar(first: string) {
  const held = { body: first, tag: 1 }
  const server = await startWebServer(({ headers }, response) => {
    const etag = `"v${held.tag}"`
    if (headers['if-none-match'] === etag) return response.writeHead(304).end()
    response.writeHead(200, { 'content-type': 'text/calendar; charset=utf-8', etag }).end(held.body)
  })
  return Object.assign(server, { change: (body: string) => Object.assign(held, { body, tag: held.tag + 1 }) })
}

const read = async (events_text: string) => (await parseCalendar(calendar(events_text))).records

describe('a calendar at an address', () => {
  test('follows changes and removals, and asks for no more than it needs', async () => {
    await using server = await startCalendar(calendar(event('a') + event('b')))
    await using source = openTestSource({ settings: { url: server.url } })
    expect(await calendarCollector.probe(source)).toEqual({ display_name: 'Home' })
    const first = await collectPages(calendarCollector, source)
    expect([...first.records.keys()]).toEqual(['events:a', 'events:b'])
    expect((await collectPages(calendarCollector, source, { before: first })).pages).toEqual([])
    server.change(calendar(event('b', ['DTSTART:20260302T100000Z']) + event('c')))
    const later = await collectPages(calendarCollector, source, { before: first })
    expect([later.upserted, later.removed]).toEqual([['events:b', 'events:c'], ['events:a']])
  })

  test('goes on where it was broken off', async () => {
    await using server = await startCalendar(calendar(events(1_100)))
    await using source = openTestSource({ settings: { url: server.url } })
    const { whole, broken } = await collectBrokenOff(calendarCollector, source)
    expect([whole.records.size, broken.length]).toEqual([1_100, 2])
    for (const { records, upserted } of broken) {
      expect(records).toEqual(whole.records)
      expect(new Set(upserted).size).toBe(upserted.length)
    }
  })
})

test('a calendar that was uploaded is read once', async () => {
  await using source = openTestSource({ secrets: { file: calendar(event('a')) } })
  const first = await collectPages(calendarCollector, source)
  expect([...first.records.keys()]).toEqual(['events:a'])
  expect((await collectPages(calendarCollector, source, { before: first })).pages).toEqual([])
})

describe('times', () => {
  test.each([
    ['DTSTART:20260301T100000Z', '2026-03-01T10:00:00.000Z', false, 'Etc/UTC'],
    ['DTSTART;TZID=Europe/Paris:20260701T023000', '2026-07-01T00:30:00.000Z', false, 'Europe/Paris'],
    ['DTSTART;VALUE=DATE:20260301', '2026-03-01', true, null],
    ['DTSTART:20260301T100000', '2026-03-01T10:00:00', false, null],
  ])('%s is %s', async (line, starts_at, is_all_day, timezone) => {
    const [record] = await read(event('a', [line]))
    expect(record?.data).toMatchObject({ starts_at, is_all_day, timezone })
  })

  test('a rule without end is kept, not unrolled; exceptions and changed dates are told', async () => {
    const rule = ['DTSTART:20260301T100000Z', 'RRULE:FREQ=SECONDLY', 'EXDATE:20260301T100001Z']
    const changed = ['RECURRENCE-ID:20260301T100005Z', 'DTSTART:20260301T120000Z']
    const records = await read(event('a', rule) + event('a', changed))
    expect(records.map(({ key }) => key)).toEqual(['a', 'a/2026-03-01T10:00:05.000Z'])
    expect(records[0]?.data).toMatchObject({
      rule: expect.stringContaining('FREQ=SECONDLY'),
      except: ['2026-03-01T10:00:01.000Z'],
    })
    expect(records[1]?.data).toMatchObject({ starts_at: '2026-03-01T12:00:00.000Z' })
  })

  test('people are told by name and address', async () => {
    const lines = [
      'DTSTART:20260301T100000Z',
      'ORGANIZER;CN="Ada L":mailto:ada@example.org',
      'ATTENDEE;CN=Bob:mailto:bob@example.org',
    ]
    const [record] = await read(event('a', lines))
    expect(record?.data).toMatchObject({
      organizer: { name: 'Ada L', address: 'ada@example.org' },
      attendees: [{ name: 'Bob', address: 'bob@example.org' }],
    })
  })
})

const fail = (text: string) =>
  parseCalendar(text).then(
    () => 'nothing failed',
    (error: unknown) => (error instanceof SourceFault ? error.code : error),
  )

describe('what is sent instead of a calendar', () => {
  test.each([
    ['nothing', ''],
    ['garbage', 'hello'],
    ['a page', '<!doctype html>'],
    ['one that was cut off', calendar(events(3)).slice(0, 200)],
    ['one whose event does not end', calendar('BEGIN:VEVENT\r\nUID:a\r\n')],
  ])('%s is a bad answer', async (_, text) => {
    expect(await fail(text)).toBe('bad_answer')
  })

  test('too many events are refused', async () => {
    expect(await fail(calendar('BEGIN:VEVENT\r\nEND:VEVENT\r\n'.repeat(20_001)))).toBe('too_large')
  })

  test('whatever stands in it, reading ends in records or in a fault of a known kind', async () => {
    const line = fc.oneof(
      fc.constantFrom(
        'RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=31',
        'UID:__proto__',
        'DTSTART:99999999T999999Z',
      ),
      fc.constantFrom(
        'BEGIN:VALARM',
        'END:VALARM',
        'DTSTART;TZID=Nowhere/Land:20260301T100000',
        'RRULE:x',
        ' fold',
      ),
      fc.string().map((text) => text.replace(/[\r\n]/g, ' ')),
    )
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 8 }), async (lines) => {
        const text = calendar(event('a', ['DTSTART:20260301T100000Z', ...lines]))
        const outcome = await parseCalendar(text).catch((error: unknown) => error)
        const isKnown = outcome instanceof SourceFault || Array.isArray((outcome as { records?: [] }).records)
        expect(isKnown).toBe(true)
        expect(() => JSON.stringify(outcome)).not.toThrow()
      }),
      { numRuns: 200 },
    )
  })
})
