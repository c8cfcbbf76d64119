import { type Claim, RANK } from '../finding.ts'
import { hasInnerSign } from '../looks/chosen-password.ts'
import { keyLevel } from '../looks/key-names.ts'
import { LOOKS } from '../looks/looks.ts'
import { surprise } from '../looks/randomness.ts'
import { isKeywordSecret, MIN_VALUE_CHARS } from './keyword-layer.ts'

/** A table of values with a separator between them, of which some columns are called after a secret. */
export interface SecretColumns {
  readonly separator: string
  readonly count: number
  readonly columns: readonly number[]
  /** A row of names only if a rule follows: the row of an ordinary table may have the name of a secret in it. */
  readonly needsRule: boolean
}

interface Cell {
  readonly start: number
  readonly end: number
}

/** Columns that stand below each other, with nothing but blanks between them. */
const WIDE_GAP = '  '
const SEPARATORS = ['|', '│', '\t', ';', ',', WIDE_GAP]
/** A line of names, and of what parts and encloses them. */
const HEADER = /^(?:#\s)?[\s|│"'*`]*[A-Za-z_][\w .()/|│\t;,"'*`-]*\r?$/
const NAME = /^[A-Za-z_][\w.-]*(?: [\w.()/-]+){0,2}$/
const ONE_WORD = /^(?:[A-Za-z_][\w.-]*|[A-Z][\w.-]* [A-Z][\w.-]*)$/
/** A table that is quoted, an item of a list or a remark. */
const LEAD = /^\s{0,8}(?:>[ >]{0,8}|-\s(?=\|)|\/\/\s)/
/** What stands between the names and the values of tables in Markdown and of databases. */
const RULE = /^[\s|:+=─-╿-]{3,}$/
/** A table drawn for readers, unlike values that a program parts. */
const DRAWN = /^\s*[|│]|\s[|│]\s/
/** The rows of a dump of PostgreSQL follow. */
const COPY = /^COPY [\w."]{1,120} \(([^()]{1,2000})\) FROM stdin/i
const ROW_SEPARATORS = ['</td><td>', '|', '│', '\t', ';', ',']
/** Between these a row may have more than a name and a value. */
const WIDE = ['</td><td>', '|', '│']
/** So many cells more or less than names has a row that somebody wrote by hand. */
const MAX_RAGGED = 1
const MAX_LINE_CHARS = 4_000
const MANY_NAMES = 4
const MAX_WORD_BITS = 5

/** Claims the values of secret columns; what a table is read from is its first line. */
export function claimCells(
  written: string,
  table: SecretColumns | undefined,
  hasWord: boolean,
  claims: Claim[],
): SecretColumns | undefined {
  if (written.length > MAX_LINE_CHARS) return undefined
  const line = written.replace(LEAD, ({ length }) => ' '.repeat(length))
  if (table) {
    if (RULE.test(line)) return { ...table, needsRule: false }
    if (table.needsRule) return hasWord ? readHeader(line) : undefined
    const cells = cellsOf(line, table.separator)
    const isSure = cells.length === table.count && table.separator !== WIDE_GAP
    if (isSure || (cells.length > 1 && Math.abs(cells.length - table.count) <= MAX_RAGGED)) {
      for (const column of table.columns) claimCell(line, cells[column], isSure, claims)
      return table
    }
  }
  return hasWord ? readHeader(line) : undefined
}

/** `| DB_PASSWORD | … |`, `<td>Password</td><td>…</td>`, a name and its value on a line of their own. */
export function claimNamedCells(line: string, claims: Claim[]): void {
  if (line.length > MAX_LINE_CHARS) return
  const separator = ROW_SEPARATORS.find((sign) => line.includes(sign))
  if (separator === undefined) return
  const cells = cellsOf(line, separator)
  if (cells.length < 2 || (!WIDE.includes(separator) && cells.length > 2)) return
  for (const [at, cell] of cells.slice(1).entries()) {
    const name = nameIn(line, cells[at] as Cell)
    if (ONE_WORD.test(name) && isSecret(name)) claimCell(line, cell, false, claims)
  }
}

function readHeader(line: string): SecretColumns | undefined {
  const copied = COPY.exec(line)?.[1]?.split(/,\s*/)
  if (copied) return columnsOf(copied, '\t', false)
  if (!HEADER.test(line)) return undefined
  const separator = SEPARATORS.find((sign) => line.trim().includes(sign))
  if (separator === undefined) return undefined
  const cells = cellsOf(line, separator)
  const names = cells.map((cell) => nameIn(line, cell))
  // Commas part words of a sentence too.
  const isName = separator === ',' && names.length < MANY_NAMES && line.includes(', ') ? ONE_WORD : NAME
  if (names.length < 2 || !names.every((name) => isName.test(name))) return undefined
  return columnsOf(names, separator, DRAWN.test(line))
}

function columnsOf(
  names: readonly string[],
  separator: string,
  needsRule: boolean,
): SecretColumns | undefined {
  const columns = names.flatMap((name, at) => (isSecret(name) ? [at] : []))
  return columns.length === 0 ? undefined : { separator, count: names.length, columns, needsRule }
}

function isSecret(name: string): boolean {
  const level = keyLevel(name.replaceAll(' ', '_'))
  return level === 'password' || level === 'secret'
}

/** Without what makes it bold or code. */
function nameIn(line: string, { start, end }: Cell): string {
  return line.slice(start, end).replace(/^(?:#\s|<t[dr]>)*[*`_]{0,3}|[*`]{1,3}$/g, '')
}

/** A value is `isSure` where the table has a cell for each of its names; otherwise its looks have to tell. */
function claimCell(line: string, cell: Cell | undefined, isSure: boolean, claims: Claim[]): void {
  const { start = 0, end = 0 } = cell ?? {}
  const value = line.slice(start, end)
  if (!isSure && !LOOKS.strong(value) && !hasInnerSign(value)) return
  if (value.length < MIN_VALUE_CHARS || /[\s`"]/.test(value)) return
  if (/^[A-Za-z_-]+$/.test(value) && surprise(value) < MAX_WORD_BITS) return
  // As if the name stood before it: the column is called so.
  if (!isKeywordSecret(line, { name: '', by: '=', start, end, isQuoted: true }, 'password')) return
  claims.push({ rule: 'keyword_value', start, end, rank: RANK.keyword })
}

/** The cells of a line without the blanks and quotes around them; those that `|` encloses have none outside. */
function cellsOf(line: string, separator: string): Cell[] {
  const cells: Cell[] = []
  let [start, isQuoted] = [0, false]
  for (let at = 0; at <= line.length; at++) {
    if (line[at] === '"') isQuoted = !isQuoted
    if (at < line.length && (isQuoted || !line.startsWith(separator, at))) continue
    cells.push(trimmed(line, start, at))
    if (separator === WIDE_GAP) while (line[at + 2] === ' ') at++
    start = at + separator.length
    at = start - 1
  }
  if (separator === WIDE_GAP) return cells.filter(({ start: from, end }) => from < end)
  if (separator !== '|' && separator !== '│') return cells
  return cells.filter(({ start: from, end }, at) => from < end || (at > 0 && at < cells.length - 1))
}

function trimmed(line: string, from: number, to: number): Cell {
  let [start, end] = [from, to]
  while (start < end && /[\s"'`]/.test(line[start] as string)) start++
  while (end > start && /[\s"'`]/.test(line[end - 1] as string)) end--
  const tag = line.slice(start, end).search(/<\/t[dr]>/)
  if (tag >= 0) end = start + tag
  return { start, end }
}
