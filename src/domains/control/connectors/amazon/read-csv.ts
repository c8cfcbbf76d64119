import { SourceFault } from '../connector.ts'

const MAX_ROWS = 200_000
const MAX_COLUMNS = 200

/** Reads a table of comma-separated values (RFC 4180) row by row. */
export function* readCsv(text: string): Generator<string[]> {
  let row: string[] = []
  let rows = 0
  let at = text.startsWith('\uFEFF') ? 1 : 0
  while (at < text.length) {
    const { value, end } = text[at] === '"' ? quotedValue(text, at) : plainValue(text, at)
    if (row.push(value) > MAX_COLUMNS) throw notATable()
    at = end
    if (text[at] === ',') {
      at++
      // A comma at the very end is followed by one more value, which is empty.
      if (at === text.length) row.push('')
      continue
    }
    at += text.startsWith('\r\n', at) ? 2 : 1
    if (++rows > MAX_ROWS) throw new SourceFault('too_large', `The table has more than ${MAX_ROWS} rows.`)
    yield row
    row = []
  }
  if (row.length > 0) yield row
}

interface Value {
  readonly value: string
  readonly end: number
}

function plainValue(text: string, at: number): Value {
  let end = at
  while (end < text.length && text[end] !== ',' && text[end] !== '\n' && text[end] !== '\r') end++
  return { value: text.slice(at, end), end }
}

function quotedValue(text: string, at: number): Value {
  let value = ''
  for (let from = at + 1; ; ) {
    const quote = text.indexOf('"', from)
    if (quote < 0) throw notATable()
    value += text.slice(from, quote)
    if (text[quote + 1] !== '"') {
      const end = quote + 1
      if (end < text.length && !/[,\r\n]/.test(text[end] as string)) throw notATable()
      return { value, end }
    }
    value += '"'
    from = quote + 2
  }
}

function notATable(): SourceFault {
  return new SourceFault('bad_answer', 'The file is not a table of comma-separated values.')
}
