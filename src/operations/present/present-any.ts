import { printable } from '../../platform/basics/printable.ts'
import type { Page } from './page.ts'
import { cellOf, renderTable } from './table.ts'
import { padded, widthOf } from './text-width.ts'

type Row = Record<string, unknown>

/** What kind of answer it is: a person sees that. */
const KIND_KEYS = ['schema', 'object']

/** Any answer, for a person: its single values as `key  value`, its lists of records as tables. */
export function presentAny(body: unknown, page: Page): string {
  if (!isRecord(body)) return printable(typeof body === 'string' ? body : JSON.stringify(body, null, 2))
  const entries = Object.entries(body)
    .filter(([key]) => !KIND_KEYS.includes(key))
    .map(([key, value]) => [key, isEmpty(value) ? null : value] as const)
  const single = entries.filter(([, value]) => !isRecord(value) && !isTable(value))
  const parts = single.length > 0 ? [renderPairs(single, page)] : []
  for (const [key, value] of entries) {
    if (isTable(value)) parts.push(renderRecords(key, value, page))
    else if (isRecord(value)) parts.push(`${page.bold(labelOf(key))}\n${indented(presentAny(value, page))}`)
  }
  return parts.join('\n\n')
}

/** `label  value` lines with the values aligned. */
export function renderPairs(pairs: readonly (readonly [string, unknown])[], page: Page): string {
  const width = Math.max(...pairs.map(([key]) => widthOf(labelOf(key))))
  return pairs.map(([key, value]) => `${page.dim(padded(labelOf(key), width))}  ${cellOf(value)}`).join('\n')
}

/** A list of records as a table of the columns that hold single values. */
function renderRecords(title: string, rows: readonly Row[], page: Page): string {
  if (rows.length === 0) return `No ${labelOf(title)}.`
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))].filter(
    (key) => !KIND_KEYS.includes(key) && rows.every((row) => !isRecord(row[key])),
  )
  return renderTable(
    columns.map(labelOf),
    rows.map((row) => columns.map((column) => row[column])),
    page,
  )
}

function isRecord(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A record without parts, such as filters that narrow nothing: a heading alone would look like a fault. */
function isEmpty(value: unknown): boolean {
  return isRecord(value) && Object.keys(value).length === 0
}

function isTable(value: unknown): value is Row[] {
  return Array.isArray(value) && value.every(isRecord) && value.length > 0
}

function labelOf(key: string): string {
  return printable(key.replaceAll('_', ' '))
}

function indented(text: string): string {
  return text.replace(/^(?=.)/gm, '  ')
}
