/** A pattern as a tree. `one` answers for a single character; its `source` is what the owner wrote. */
export type PatternNode =
  | { kind: 'one'; source: string }
  | { kind: 'edge'; at: '^' | '$' | '\\b' | '\\B' }
  | { kind: 'all'; of: PatternNode[] }
  | { kind: 'any'; of: PatternNode[] }
  | { kind: 'repeat'; of: PatternNode; min: number; max: number }

const QUANTIFIER = /[*+?]|\{(\d+)(,?)(\d*)\}/y
const CLASS = /\[(?:\\[^]|[^\]\\])*\]/y
// Two escapes of surrogates are one character.
const PAIR = String.raw`u[dD][89abAB][0-9A-Fa-f]{2}\\u[dD][c-fC-F][0-9A-Fa-f]{2}`
const ESCAPE = new RegExp(
  String.raw`\\(?:${PAIR}|u\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|x[0-9A-Fa-f]{2}|c[A-Za-z]|[pP]\{[^}]*\}|[^])`,
  'y',
)
const GROUP = /\((?:\?:|\?<(?![=!])[^>]*>)?/y
const MAX_GROUP_DEPTH = 32

interface Reader {
  readonly text: string
  at: number
  depth: number
}

/**
 * Reads a pattern that the language's own engine has already accepted. Lookaround, back-references and
 * inline flags are refused: no engine that runs in linear time has them.
 */
export function parsePattern(text: string): PatternNode {
  const reader: Reader = { text, at: 0, depth: 0 }
  const node = readChoice(reader)
  if (reader.at !== text.length) throw new Error('pattern not understood')
  return node
}

function readChoice(reader: Reader): PatternNode {
  const ways = [readSequence(reader)]
  while (reader.text[reader.at] === '|') {
    reader.at++
    ways.push(readSequence(reader))
  }
  return ways.length === 1 ? (ways[0] as PatternNode) : { kind: 'any', of: ways }
}

function readSequence(reader: Reader): PatternNode {
  const of: PatternNode[] = []
  while (reader.at < reader.text.length && !'|)'.includes(reader.text[reader.at] as string)) {
    of.push(readRepeat(reader, readAtom(reader)))
  }
  return { kind: 'all', of }
}

function readRepeat(reader: Reader, of: PatternNode): PatternNode {
  const found = take(reader, QUANTIFIER)
  if (!found) return of
  if (reader.text[reader.at] === '?') reader.at++
  if (found[0] === '*') return { kind: 'repeat', of, min: 0, max: Number.POSITIVE_INFINITY }
  if (found[0] === '+') return { kind: 'repeat', of, min: 1, max: Number.POSITIVE_INFINITY }
  if (found[0] === '?') return { kind: 'repeat', of, min: 0, max: 1 }
  const min = Number(found[1])
  if (found[2] === '') return { kind: 'repeat', of, min, max: min }
  return { kind: 'repeat', of, min, max: found[3] === '' ? Number.POSITIVE_INFINITY : Number(found[3]) }
}

function readAtom(reader: Reader): PatternNode {
  const char = reader.text[reader.at] as string
  if (char === '(') return readGroup(reader)
  if (char === '[') return { kind: 'one', source: requireMatch(reader, CLASS) }
  if (char === '\\') return readEscape(reader)
  if (char === '^' || char === '$') {
    reader.at++
    return { kind: 'edge', at: char }
  }
  const point = String.fromCodePoint(reader.text.codePointAt(reader.at) as number)
  reader.at += point.length
  return { kind: 'one', source: point }
}

function readGroup(reader: Reader): PatternNode {
  if (++reader.depth > MAX_GROUP_DEPTH) throw new Error('pattern nested too deep')
  requireMatch(reader, GROUP)
  if (reader.text[reader.at] === '?') throw new Error('pattern uses lookaround or flags')
  const inner = readChoice(reader)
  if (reader.text[reader.at++] !== ')') throw new Error('pattern not understood')
  reader.depth--
  return inner
}

function readEscape(reader: Reader): PatternNode {
  const source = requireMatch(reader, ESCAPE)
  if (/^\\[1-9k]/.test(source)) throw new Error('pattern uses a back-reference')
  if (source === '\\b' || source === '\\B') return { kind: 'edge', at: source }
  return { kind: 'one', source }
}

function take(reader: Reader, expression: RegExp): RegExpExecArray | null {
  expression.lastIndex = reader.at
  const found = expression.exec(reader.text)
  if (found) reader.at += found[0].length
  return found
}

function requireMatch(reader: Reader, expression: RegExp): string {
  const found = take(reader, expression)
  if (!found) throw new Error('pattern not understood')
  return found[0]
}
