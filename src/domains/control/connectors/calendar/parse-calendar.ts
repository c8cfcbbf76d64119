import type { CalendarResponse, DateWithTimeZone, VEvent } from 'node-ical'
import { type CollectedRecord, type Json, SourceFault } from '../connector.ts'
import { stableKey } from '../page-changes.ts'
import type { ParseResult } from '../parse-job.ts'
import { cutLine, cutText, findTime } from '../source-text.ts'

const MAX_EVENTS = 20_000
const MAX_PARTS = 200

/** Reads a calendar. Rules of repetition are kept as text and never unrolled. */
export async function parseCalendar(text: string): Promise<ParseResult> {
  checkWhole(text)
  const { default: ical } = await import('node-ical')
  let found: CalendarResponse
  try {
    found = ical.sync.parseICS(text)
  } catch {
    throw new SourceFault('bad_answer', 'The calendar could not be read.')
  }
  const records = new Map<string, CollectedRecord>()
  for (const event of eventsIn(found)) {
    const record = toRecord(event)
    records.set(record.key, record)
    if (records.size > MAX_EVENTS) {
      throw new SourceFault('too_large', `The calendar has more than ${MAX_EVENTS} events.`)
    }
  }
  const name = cutLine(String(found.vcalendar?.['WR-CALNAME'] ?? ''), 200)
  return { records: [...records.values()], ...(name !== '' && { title: name }) }
}

/** The parser takes anything for a calendar, so a file that was cut short has to be noticed here. */
function checkWhole(text: string): void {
  const isWhole =
    /^\uFEFF?\s{0,100}BEGIN:VCALENDAR\r?\n/i.test(text) && /\nEND:VCALENDAR\s{0,100}$/i.test(text)
  const begun = text.match(/^BEGIN:VEVENT\s{0,9}$/gim)?.length ?? 0
  const ended = text.match(/^END:VEVENT\s{0,9}$/gim)?.length ?? 0
  if (!isWhole || begun !== ended) {
    throw new SourceFault('bad_answer', 'The source sent something that is not a whole calendar.')
  }
  if (begun > MAX_EVENTS) {
    throw new SourceFault('too_large', `The calendar has more than ${MAX_EVENTS} events.`)
  }
}

/** Each event, and each of its dates that was changed on its own. */
function* eventsIn(found: CalendarResponse): Generator<VEvent> {
  for (const component of Object.values(found)) {
    if (component?.type !== 'VEVENT') continue
    const event = component as VEvent
    yield event
    // A changed date is listed twice, by its day and by its time.
    for (const changed of new Set(Object.values(event.recurrences ?? {}))) yield changed as VEvent
  }
}

function toRecord(event: VEvent): CollectedRecord {
  const { text, is_cut } = cutText(textOf(event.description))
  const starts_at = renderDate(event.start)
  const recurrence_id = renderDate(event.recurrenceid)
  const uid = textOf(event.uid) || `${textOf(event.summary)}\n${starts_at ?? ''}`
  return {
    key: stableKey(recurrence_id === null ? uid : `${uid}/${recurrence_id}`),
    data: {
      uid: cutLine(uid, 500),
      recurrence_id,
      title: cutLine(textOf(event.summary)),
      text,
      is_cut,
      location: cutLine(textOf(event.location)),
      starts_at,
      ends_at: renderDate(event.end),
      is_all_day: event.datetype === 'date',
      timezone: event.start?.tz === undefined ? null : cutLine(String(event.start.tz), 100),
      rule: event.rrule ? cutLine(event.rrule.toString(), 500) : null,
      except: exceptions(event),
      status: event.status === undefined ? null : cutLine(String(event.status), 40).toLowerCase(),
      organizer: personOf(event.organizer),
      attendees: [event.attendee ?? []].flat().slice(0, MAX_PARTS).map(personOf),
      updated_at: findTime(event.lastmodified ?? event.dtstamp),
    },
  }
}

function exceptions({ exdate }: VEvent): Json {
  const dates = [...new Set(Object.values(exdate ?? {}))].slice(0, MAX_PARTS)
  return dates.map(renderDate).filter((date) => date !== null)
}

function personOf(person: unknown): Json {
  if (person === undefined || person === null) return null
  if (typeof person === 'string') return { name: null, address: addressOf(person) }
  const { params, val } = person as { params?: { CN?: string }; val?: string }
  const name = typeof params?.CN === 'string' ? cutLine(params.CN.replace(/^"|"$/g, ''), 200) : null
  return { name, address: addressOf(val ?? '') }
}

function addressOf(text: string): string {
  return cutLine(text.replace(/^mailto:/i, ''), 320)
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  const { val } = (value ?? {}) as { val?: unknown }
  return typeof val === 'string' ? val : ''
}

/** A day, an instant, or, where the calendar names no zone, the time on the wall. */
function renderDate(date: DateWithTimeZone | undefined): string | null {
  if (!(date instanceof Date) || Number.isNaN(date.getTime())) return null
  const wall = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
  const day = wall.map((part, place) => String(part).padStart(place === 0 ? 4 : 2, '0')).join('-')
  if (date.dateOnly) return day
  if (date.tz !== undefined) return date.toISOString()
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()]
  return `${day}T${time.map((part) => String(part).padStart(2, '0')).join(':')}`
}
