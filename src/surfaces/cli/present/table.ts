import type { Page } from './page.ts'
import { printableLine } from './printable.ts'
import { padded, shortened, widthOf } from './text-width.ts'

const GAP = '  '
const NARROWEST = 6
/** An id that the hub has made. A person copies it into the next command, so half of one is of no use. */
const MADE_ID = /^[a-z]+_[0-9a-z]{12,}$/
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

const minutes = (time: string) => `${time.slice(0, 16).replace('T', ' ')}Z`

/**
 * How times are written, the longest first. Half a time is of no use, but its seconds can be missed, and its year where
 * all times of a table have the same; else the time of day.
 */
function timeForms(cells: readonly string[][]): ((time: string) => string)[] {
  const years = new Set(cells.flat().flatMap((cell) => (TIME.test(cell) ? [cell.slice(0, 4)] : [])))
  return [
    (time) => time,
    minutes,
    years.size > 1 ? (time) => time.slice(0, 10) : (time) => minutes(time).slice(5),
  ]
}

/**
 * Rows in aligned columns. On a terminal times are shortened, and then the widest columns give way, until a row fits its
 * width, but never so far that an id or a time is cut, or what the row is about, which comes first.
 */
export function renderTable(headings: readonly string[], rows: readonly unknown[][], page: Page): string {
  const whole = rows.map((row) => row.map(cellOf))
  const written = timeForms(whole).map((form) =>
    whole.map((row) => row.map((cell) => (TIME.test(cell) ? form(cell) : cell))),
  )
  const room = page.columns - GAP.length * (headings.length - 1)
  const fits = (cells: readonly string[][]) => sumOf(naturalWidths(headings, cells)) <= room
  const cells = written.find(fits) ?? (written.at(-1) as string[][])
  const natural = naturalWidths(headings, cells)
  const least = headings.map((_, at) => {
    const kept = cells.filter(
      (row, line) => at === 0 || MADE_ID.test(row[at] ?? '') || TIME.test(whole[line]?.[at] ?? ''),
    )
    return Math.max(NARROWEST, ...kept.map((row) => widthOf(row[at] ?? '')))
  })
  const widths = fitted(natural, least, room)
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => padded(shortened(cell, widths[at] as number), widths[at] as number))
      .join(GAP)
      .trimEnd()
  return [page.bold(line(headings.map((heading) => heading.toUpperCase()))), ...cells.map(line)].join('\n')
}

function naturalWidths(headings: readonly string[], cells: readonly string[][]): number[] {
  return headings.map((heading, at) =>
    Math.max(widthOf(heading), ...cells.map((row) => widthOf(row[at] ?? ''))),
  )
}

function sumOf(widths: readonly number[]): number {
  return widths.reduce((sum, width) => sum + width, 0)
}

function fitted(natural: readonly number[], least: readonly number[], room: number): number[] {
  const widths = [...natural]
  while (sumOf(widths) > room) {
    const spare = widths.map((width, at) => (width > (least[at] as number) ? width : 0))
    const widest = Math.max(...spare)
    if (widest === 0) break
    widths[spare.indexOf(widest)] = widest - 1
  }
  return widths
}

/** A value as one line of a table: nothing for null, JSON for what has parts. */
export function cellOf(value: unknown): string {
  if (value === null || value === undefined) return '-'
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) {
    return printableLine(value.join(', ')) || '-'
  }
  return printableLine(typeof value === 'object' ? JSON.stringify(value) : String(value))
}
