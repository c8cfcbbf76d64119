import { printableLine } from '../../platform/basics/printable.ts'
import type { Page } from './page.ts'
import { padded, shortened, widthOf, wrapped } from './text-width.ts'

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

/** What a table does where its rows are too wide for the page. */
interface Folding {
  /** Columns that are never cut. */
  readonly whole: readonly string[]
  /** Columns that go below the rest of their row, on a line of their own, before anything else is cut. */
  readonly below: readonly string[]
}

/**
 * Rows in aligned columns. On a terminal times are shortened, and then the widest columns give way, until a row fits its
 * width, but never so far that an id or a time is cut, or what the row is about, which comes first.
 */
export function renderTable(
  headings: readonly string[],
  rows: readonly unknown[][],
  page: Page,
  folding?: Folding,
): string {
  const whole = rows.map((row) => row.map(cellOf))
  const { cells, natural, room } = written(headings, whole, page)
  const least = headings.map((heading, at) => {
    if (folding?.whole.includes(heading)) return natural[at] as number
    const kept = cells.filter(
      (row, line) => at === 0 || MADE_ID.test(row[at] ?? '') || TIME.test(whole[line]?.[at] ?? ''),
    )
    const needed = Math.max(NARROWEST, ...kept.map((row) => widthOf(row[at] ?? '')))
    return Math.min(needed, natural[at] as number)
  })
  if (folding && sumOf(least) > room) return renderFolded(headings, whole, page, folding)
  const widths = fitted(natural, least, room)
  const lines = [upperCase(headings), ...cells].map((row) => lineOf(row, widths))
  return [page.bold(lines[0] as string), ...lines.slice(1)].join('\n')
}

function renderFolded(
  headings: readonly string[],
  whole: readonly string[][],
  page: Page,
  { below }: Folding,
): string {
  const isBelow = (_: string, at: number) => below.includes(headings[at] as string)
  const isAbove = (_: string, at: number) => !below.includes(headings[at] as string)
  const above = headings.filter(isAbove)
  const { cells, natural } = written(
    above,
    whole.map((row) => row.filter(isAbove)),
    page,
  )
  const indent = ' '.repeat((natural[0] as number) + GAP.length)
  const folded = [upperCase(headings), ...whole].map((row, line) => {
    const rest = row.filter(isBelow).map((cell) => shortened(cell, page.columns - indent.length))
    const first = lineOf(line === 0 ? upperCase(above) : (cells[line - 1] as string[]), natural)
    return [first, ...wrapped(indent + rest.join(' · '), page.columns)].join('\n')
  })
  return [page.bold(folded[0] as string), ...folded.slice(1)].join('\n')
}

function upperCase(headings: readonly string[]): string[] {
  return headings.map((heading) => heading.toUpperCase())
}

function lineOf(row: readonly string[], widths: readonly number[]): string {
  return row
    .map((cell, at) => padded(shortened(cell, widths[at] as number), widths[at] as number))
    .join(GAP)
    .trimEnd()
}

/** The cells with their times as short as the page needs them, and the widths that they would take. */
function written(headings: readonly string[], whole: readonly string[][], page: Page) {
  const forms = timeForms(whole).map((form) =>
    whole.map((row) => row.map((cell) => (TIME.test(cell) ? form(cell) : cell))),
  )
  const room = page.columns - GAP.length * (headings.length - 1)
  const fits = (cells: readonly string[][]) => sumOf(naturalWidths(headings, cells)) <= room
  const cells = forms.find(fits) ?? (forms.at(-1) as string[][])
  return { cells, natural: naturalWidths(headings, cells), room }
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
