import type { Page } from './page.ts'
import { printableLine } from './printable.ts'
import { padded, shortened, widthOf } from './text-width.ts'

const GAP = '  '
const NARROWEST = 6
/** An id that the hub has made. A person copies it into the next command, so half of one is of no use. */
const MADE_ID = /^[a-z]+_[0-9a-z]{12,}$/
const TIME = /^\d{4}-\d\d-\d\dT/

/**
 * Rows in aligned columns. On a terminal the widest columns give way until a row fits its width, but never so far that
 * an id is cut, or what the row is about, which comes first.
 */
export function renderTable(headings: readonly string[], rows: readonly unknown[][], page: Page): string {
  const cells = rows.map((row) => row.map(cellOf))
  const natural = headings.map((heading, at) =>
    Math.max(widthOf(heading), ...cells.map((row) => widthOf(row[at] ?? ''))),
  )
  const least = headings.map((_, at) =>
    leastWidth(
      cells.map((row) => row[at] ?? ''),
      at === 0,
    ),
  )
  const widths = fitted(natural, least, page.columns)
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => padded(shortened(cell, widths[at] as number), widths[at] as number))
      .join(GAP)
      .trimEnd()
  return [page.bold(line(headings.map((heading) => heading.toUpperCase()))), ...cells.map(line)].join('\n')
}

function leastWidth(column: readonly string[], isFirst: boolean): number {
  const kept = column.filter((cell) => MADE_ID.test(cell) || (isFirst && !TIME.test(cell)))
  return Math.max(NARROWEST, ...kept.map(widthOf))
}

function fitted(natural: readonly number[], least: readonly number[], columns: number): number[] {
  const widths = [...natural]
  const room = columns - GAP.length * (widths.length - 1)
  while (widths.reduce((sum, width) => sum + width, 0) > room) {
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
