/** A line of a TOML file: the header of a table, the start of a value, or anything in between. */
export interface TomlLine {
  readonly text: string
  readonly kind: 'header' | 'key' | 'other'
  /** The dotted name in a header, or the dotted key before the equals sign, without quotes. */
  readonly name: string
}

const HEADER = /^\s*\[\[?\s*([^[\]]+?)\s*\]\]?\s*(#.*)?$/
const KEY = /^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=/
const QUOTES = ['"""', "'''", '"', "'"] as const

interface Inside {
  quote: string | undefined
  depth: number
}

/** Splits a TOML file into lines that can be told apart; nothing when it cannot be read as TOML. */
export function findTomlLines(text: string): TomlLine[] | undefined {
  const inside: Inside = { quote: undefined, depth: 0 }
  const lines: TomlLine[] = []
  for (const line of text.split('\n')) {
    const isContinued = inside.quote !== undefined || inside.depth > 0
    const found = isContinued ? otherLine(line) : findTopLine(line)
    if (!found) return undefined
    lines.push(found)
    if (found.kind !== 'header' && !walkLine(line, inside)) return undefined
  }
  return inside.quote === undefined && inside.depth === 0 ? lines : undefined
}

function otherLine(text: string): TomlLine {
  return { text, kind: 'other', name: '' }
}

function findTopLine(text: string): TomlLine | undefined {
  if (/^\s*(#.*)?$/.test(text)) return otherLine(text)
  const header = HEADER.exec(text)
  if (header) return { text, kind: 'header', name: bare(header[1] as string) }
  const key = KEY.exec(text)
  return key ? { text, kind: 'key', name: bare(key[1] as string) } : undefined
}

function bare(name: string): string {
  return name.replace(/["']/g, '').replace(/\s*\.\s*/g, '.')
}

/** Follows quotes and brackets to the end of the line; false when they do not fit together. */
function walkLine(line: string, inside: Inside): boolean {
  for (let at = 0; at < line.length; ) {
    if (inside.quote !== undefined) at = walkQuoted(line, at, inside)
    else {
      const quote = QUOTES.find((candidate) => line.startsWith(candidate, at))
      const character = line[at] as string
      if (quote) inside.quote = quote
      else if (character === '#') break
      else if ('[{'.includes(character)) inside.depth++
      else if (']}'.includes(character) && --inside.depth < 0) return false
      at += quote?.length ?? 1
    }
  }
  // Only the long quotes reach over a line's end.
  return inside.quote === undefined || inside.quote.length === 3
}

function walkQuoted(line: string, at: number, inside: Inside): number {
  const quote = inside.quote as string
  if (quote.startsWith('"') && line[at] === '\\') return at + 2
  if (!line.startsWith(quote, at)) return at + 1
  inside.quote = undefined
  return at + quote.length
}
