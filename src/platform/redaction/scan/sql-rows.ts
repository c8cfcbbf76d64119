import type { Pair } from './pair.ts'

const INSERT =
  /\b(?:insert|replace)\s{1,3}(?:ignore\s{1,3})?into\s{1,3}[\w.`"[\]]{1,128}\s{0,3}\(([^()]{1,2000})\)\s{0,3}values\s{0,3}/iy
const VALUE =
  /\s{0,8}(?:[NEBX]?'((?:[^'\\]|\\.|'')*)'|[^,()']*(?:\([^()]{0,200}\)[^,()']{0,40})?)\s{0,8}([,)]|$)/y
const NEXT_ROW = /\s{0,8},\s{0,8}\(/y
const MAX_ROWS = 200

/** What a statement of SQL gives to its columns, each as a name and a value. */
export function findSqlValues(line: string): Pair[] {
  if (!line.includes('VALUES') && !line.includes('values')) return []
  const at = line.search(/\b(?:insert|replace)\s/i)
  if (at < 0) return []
  INSERT.lastIndex = at
  const found = INSERT.exec(line)
  if (!found?.[1] || line[INSERT.lastIndex] !== '(') return []
  const columns = found[1].split(',').map((column) => column.replace(/[^\w$-]+/g, ''))
  const pairs: Pair[] = []
  let next = INSERT.lastIndex + 1
  for (let row = 0; row < MAX_ROWS && next > 0; row++) next = readRow(line, next, columns, pairs)
  return pairs
}

/** Reads one row from behind its bracket; gives where the next one begins. */
function readRow(line: string, from: number, columns: readonly string[], pairs: Pair[]): number {
  VALUE.lastIndex = from
  for (const name of columns) {
    const at = VALUE.lastIndex
    const found = VALUE.exec(line)
    if (!found) return -1
    if (found[1] !== undefined) {
      const start = line.indexOf("'", at) + 1
      pairs.push({ name, by: '=', start, end: start + found[1].length, isQuoted: true })
    }
    if (found[2] !== ',') break
  }
  NEXT_ROW.lastIndex = VALUE.lastIndex
  return NEXT_ROW.test(line) ? NEXT_ROW.lastIndex : -1
}
