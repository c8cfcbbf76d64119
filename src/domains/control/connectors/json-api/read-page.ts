import type { CollectedRecord, Json, JsonObject, SourceAnswer } from '../connector.ts'
import { SourceFault } from '../connector.ts'
import { stableKey } from '../page-changes.ts'
import { findTime } from '../source-text.ts'

const MAX_RECORDS = 10_000
const MAX_NEXT_CHARS = 2_000
const MAX_FIELD_PARTS = 5

/** Where an API keeps what, as the owner has said. */
export interface ApiShape {
  readonly records_field: string
  readonly key_field: string
  readonly deleted_field: string
  readonly next_field: string
  readonly cursor_parameter: string
  readonly updated_field: string | undefined
  readonly since_parameter: string | undefined
}

/** One page of an API. */
export interface ApiPage {
  readonly upserts: readonly CollectedRecord[]
  readonly removals: readonly string[]
  /** A cursor, or the address of the next page. */
  readonly next: string | undefined
  /** When the last changed of its records was changed. */
  readonly newest: string | undefined
  readonly bytes: number
}

/** The shape of an API, with what most have in common where the owner has said nothing. */
export function shapeOf(settings: Readonly<Record<string, string>>): ApiShape {
  return {
    records_field: settings.records_field || 'data',
    key_field: settings.key_field || 'id',
    deleted_field: settings.deleted_field || 'deleted',
    next_field: settings.next_field || 'next_cursor',
    cursor_parameter: settings.cursor_parameter || 'cursor',
    updated_field: settings.updated_field || undefined,
    since_parameter: settings.since_parameter || undefined,
  }
}

/** Reads a page; every record must have a key. */
export function readPage(answer: SourceAnswer, shape: ApiShape): ApiPage {
  const body = parseJson(answer.body)
  const items = Array.isArray(body) ? (body as readonly Json[]) : fieldOf(body, shape.records_field)
  if (!Array.isArray(items)) throw badAnswer(`has no list under ${shape.records_field}`)
  if (items.length > MAX_RECORDS) {
    throw new SourceFault('too_large', `A page of the source has more than ${MAX_RECORDS} records.`)
  }
  const upserts = new Map<string, CollectedRecord>()
  const removals = new Set<string>()
  let newest: string | undefined
  for (const item of items as readonly Json[]) {
    const data = requireObject(item)
    const key = requireKey(data, shape)
    newest = laterOf(newest, shape.updated_field && timeOf(fieldOf(data, shape.updated_field)))
    upserts.delete(key)
    removals.delete(key)
    if (isDeleted(fieldOf(data, shape.deleted_field))) removals.add(key)
    else upserts.set(key, { key, data })
  }
  return {
    upserts: [...upserts.values()],
    removals: [...removals],
    next: linkedNext(answer.headers) ?? nextIn(fieldOf(body, shape.next_field)),
    newest,
    bytes: answer.body.length,
  }
}

/** The later of two times as they are kept. */
export function laterOf(one: string | undefined, other: string | undefined): string | undefined {
  if (one === undefined || other === undefined) return one ?? other
  return one < other ? other : one
}

function parseJson(body: Buffer): Json {
  try {
    return JSON.parse(body.toString('utf8')) as Json
  } catch {
    throw badAnswer('is not JSON')
  }
}

/** A field by its name, or by names joined with dots. */
function fieldOf(value: Json, name: string): Json | undefined {
  let found: Json | undefined = value
  for (const part of name.split('.').slice(0, MAX_FIELD_PARTS)) {
    if (found === null || typeof found !== 'object' || Array.isArray(found)) return undefined
    found = Object.hasOwn(found, part) ? (found as JsonObject)[part] : undefined
  }
  return found
}

function requireObject(item: Json): JsonObject {
  if (item === null || typeof item !== 'object' || Array.isArray(item)) throw badAnswer('lists no objects')
  return item as JsonObject
}

function requireKey(data: JsonObject, { key_field }: ApiShape): string {
  const key = fieldOf(data, key_field)
  if (typeof key === 'number' || (typeof key === 'string' && key !== '')) return stableKey(String(key))
  throw badAnswer(`has a record without ${key_field}`)
}

function isDeleted(mark: Json | undefined): boolean {
  return mark !== undefined && mark !== null && mark !== false && mark !== '' && mark !== 0
}

function timeOf(value: Json | undefined): string | undefined {
  return typeof value === 'string' ? (findTime(value) ?? undefined) : undefined
}

function nextIn(value: Json | undefined): string | undefined {
  if (value === undefined || value === null || value === '' || value === false) return undefined
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  if (text === '' || text.length > MAX_NEXT_CHARS) throw badAnswer('names no usable next page')
  return text
}

function linkedNext(headers: Headers): string | undefined {
  const link = (headers.get('link') ?? '').slice(0, 8_192)
  for (const part of link.split(/,(?=\s{0,9}<)/)) {
    const [, url, rest = ''] = /^\s{0,9}<([^<>]{1,2000})>(.{0,500})$/.exec(part) ?? []
    if (url !== undefined && /;\s{0,9}rel\s{0,9}=\s{0,9}"?next\b/i.test(rest)) return url
  }
  return undefined
}

function badAnswer(what: string): SourceFault {
  return new SourceFault('bad_answer', `The answer of the source ${what}.`)
}
