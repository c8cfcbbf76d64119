import { type Claim, RANK } from '../finding.ts'
import { hasInnerSign, hasOwnNumber } from '../looks/chosen-password.ts'
import { keyLevel } from '../looks/key-names.ts'
import { LOOKS } from '../looks/looks.ts'
import { isPassphrase } from '../looks/named-things.ts'
import { surprise } from '../looks/randomness.ts'
import { isKeywordSecret, MIN_VALUE_CHARS } from './keyword-layer.ts'

/** A table of values with a separator between them, of which some columns are called after a secret. */
export interface SecretColumns {
  readonly separator: string
  readonly count: number
  readonly columns: readonly number[]
  /** The columns of a table that has a name and a value in each row. */
  readonly given?: { readonly name: number; readonly value: number }
  /** A row of names only if a rule follows: the row of an ordinary table may have the name of a secret in it. */
  readonly needsRule: boolean
}

interface Cell {
  readonly start: number
  readonly end: number
}

/** Stands for the tags between the cells of a table in HTML, which needs no rule. */
const CELL = '¦'
/** Columns that stand below each other, with nothing but blanks between them. */
const WIDE_GAP = '  '
const SEPARATORS = [CELL, '|', '│', '\t', ';', ',', WIDE_GAP]
/** A line of names, and of what parts and encloses them. */
const HEADER = /^(?:#\s)?[\s|│¦"'*`]*[A-Za-z_][\w .()/|│¦\t;,"'*`-]*\r?$/
const NAME = /^[A-Za-z_][\w.-]*(?: [\w.()/-]+){0,2}$/
const ONE_WORD = /^(?:[A-Za-z_][\w.-]*|[A-Z][\w.-]* [A-Z][\w.-]*)$/
/** A table that is quoted, an item of a list or a remark. */
const LEAD = /^\s{0,8}(?:>[ >]{0,8}|-\s(?=\|)|\/\/\s)/
/** What stands between the names and the values of tables in Markdown and of databases. */
const RULE = /^[\s|:+=─-╿-]{3,}$/
/** A table drawn for readers, unlike values that a program parts. */
const DRAWN = /^\s*[|│]|\s[|│]\s/
/** What the columns of names and of values are called. */
const NAMES =
  /^(?:name|key|setting|variable|field|property|parameter|option|item|env(?:ironment)? ?var(?:iable)?)$/i
const VALUES = /^(?:current |actual )?value$/i
/** A row of names that has such a column, however it is parted. */
export const VALUE_COLUMNS: readonly string[] = ['| value', '|value', ',value']
/** Cells of a table in HTML. */
const TAGS = /(?:<\/?(?:t[dhr]|table|thead|tbody)\b[^<>]{0,80}>\s{0,8}){1,4}/gi
/** The rows of a dump of PostgreSQL follow. */
const COPY = /^COPY [\w."]{1,120} \(([^()]{1,2000})\) FROM stdin/i
const ROW_SEPARATORS = [CELL, '|', '│', '\t', ';', ',']
/** Those that stand outside of the first and the last cell as well. */
const OUTSIDE = [CELL, '|', '│']
/** So many cells more or less than names has a row that somebody wrote by hand. */
const MAX_RAGGED = 1
const MAX_LINE_CHARS = 4_000
const MANY_NAMES = 4
const MAX_WORD_BITS = 5

/** Claims the values of secret columns; a table is read from its first line, which `mayOpen` it. */
export function claimCells(
  written: string,
  table: SecretColumns | undefined,
  mayOpen: boolean,
  claims: Claim[],
): SecretColumns | undefined {
  if (written.length > MAX_LINE_CHARS) return undefined
  const line = withCells(written).replace(LEAD, ({ length }) => ' '.repeat(length))
  if (table) {
    if (RULE.test(line)) return { ...table, needsRule: false }
    if (table.needsRule) return mayOpen ? readHeader(line) : undefined
    const cells = cellsOf(line, table.separator)
    const isSure = cells.length === table.count && table.separator !== WIDE_GAP
    if (isSure || (cells.length > 1 && Math.abs(cells.length - table.count) <= MAX_RAGGED)) {
      for (const column of table.columns) claimCell(line, cells[column], isSure, claims)
      if (table.given && isSecret(nameIn(line, cells[table.given.name])))
        claimCell(line, cells[table.given.value], isSure, claims)
      return table
    }
  }
  return mayOpen ? readHeader(line) : undefined
}

/** `| DB_PASSWORD | … |`, `<td>Password</td><td>…</td>`, a name and its value on a line of their own. */
export function claimNamedCells(written: string, claims: Claim[]): void {
  if (written.length > MAX_LINE_CHARS) return
  const line = withCells(written)
  const separator = ROW_SEPARATORS.find((sign) => line.includes(sign))
  if (separator === undefined || (!OUTSIDE.includes(separator) && hasMany(line, separator))) return
  const cells = cellsOf(line, separator)
  if (cells.length < 2 || (!OUTSIDE.includes(separator) && cells.length > 2)) return
  for (const [at, cell] of cells.slice(1).entries()) {
    const name = nameIn(line, cells[at])
    if (ONE_WORD.test(name) && isSecret(name)) claimCell(line, cell, false, claims)
  }
}

/** More than a name and a value, told without parting the line. */
function hasMany(line: string, separator: string): boolean {
  return line.indexOf(separator) !== line.lastIndexOf(separator) && !line.includes('"')
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
  const table = { separator, count: names.length, columns, needsRule }
  const [name, value] = [NAMES, VALUES].map((called) => names.findIndex((text) => called.test(text))) as [
    number,
    number,
  ]
  if (name >= 0 && value > name) return { ...table, given: { name, value } }
  return columns.length === 0 ? undefined : table
}

function isSecret(name: string): boolean {
  const level = keyLevel(name.replaceAll(' ', '_'))
  return level === 'password' || level === 'secret'
}

/** Without what makes it bold or code. */
function nameIn(line: string, { start, end }: Cell = { start: 0, end: 0 }): string {
  return line.slice(start, end).replace(/^(?:[#*]\s)?[*`_]{0,3}|[*`]{1,3}$/g, '')
}

/** The line with a sign for the tags between two cells, as long as before. */
function withCells(line: string): string {
  return line.includes('<') ? line.replace(TAGS, (tags) => CELL.padEnd(tags.length)) : line
}

/** A value is `isSure` where the table has a cell for each of its names; otherwise its looks have to tell. */
function claimCell(line: string, cell: Cell | undefined, isSure: boolean, claims: Claim[]): void {
  const { start = 0, end = 0 } = cell ?? {}
  const value = line.slice(start, end)
  if (!isSure && ![LOOKS.strong, hasInnerSign, hasOwnNumber, isPassphrase].some((is) => is(value))) return
  if (value.length < MIN_VALUE_CHARS || /[\s`"]/.test(value)) return
  if (/^[A-Za-z_-]+$/.test(value) && surprise(value) < MAX_WORD_BITS && !isPassphrase(value)) return
  // As if the name stood before it: the column is called so.
  if (!isKeywordSecret(line, { name: '', by: '=', start, end, isQuoted: true }, 'password')) return
  claims.push({ rule: 'keyword_value', start, end, rank: RANK.keyword })
}

/** The cells of a line without the blanks and quotes around them; those that are enclosed have none outside. */
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
  if (!OUTSIDE.includes(separator)) return cells
  return cells.filter(({ start: from, end }, at) => from < end || (at > 0 && at < cells.length - 1))
}

function trimmed(line: string, from: number, to: number): Cell {
  let [start, end] = [from, to]
  while (start < end && /[\s"'`]/.test(line[start] as string)) start++
  while (end > start && /[\s"'`]/.test(line[end - 1] as string)) end--
  // A value that is bold.
  if (line.startsWith('**', start) && line.endsWith('**', end) && end - start > 4)
    return { start: start + 2, end: end - 2 }
  return { start, end }
}
