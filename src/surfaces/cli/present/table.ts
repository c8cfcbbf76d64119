import type { Page } from './page.ts'
import { printableLine } from './printable.ts'
import { padded, shortened, widthOf } from './text-width.ts'

const GAP = '  '
const NARROWEST = 6

/** Rows in aligned columns. On a terminal the widest columns give way until a row fits its width. */
export function renderTable(headings: readonly string[], rows: readonly unknown[][], page: Page): string {
  const cells = rows.map((row) => row.map(cellOf))
  const natural = headings.map((heading, at) =>
    Math.max(widthOf(heading), ...cells.map((row) => widthOf(row[at] ?? ''))),
  )
  const widths = fitted(natural, page.columns)
  const line = (row: readonly string[]) =>
    row
      .map((cell, at) => padded(shortened(cell, widths[at] as number), widths[at] as number))
      .join(GAP)
      .trimEnd()
  return [page.bold(line(headings.map((heading) => heading.toUpperCase()))), ...cells.map(line)].join('\n')
}

function fitted(natural: readonly number[], columns: number): number[] {
  const widths = [...natural]
  const room = columns - GAP.length * (widths.length - 1)
  while (widths.reduce((sum, width) => sum + width, 0) > room) {
    const widest = Math.max(...widths)
    if (widest <= NARROWEST) break
    widths[widths.indexOf(widest)] = widest - 1
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
