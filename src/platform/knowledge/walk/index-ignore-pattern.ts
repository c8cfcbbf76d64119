/** One sign of a pattern: a character, any one, any number of them, or one of a class. */
type Sign = string | typeof ANY | typeof STAR | CharacterClass

interface CharacterClass {
  readonly negated: boolean
  readonly ranges: readonly (readonly [string, string])[]
}

/** A pattern for one name. The plain forms are most of those that are in use, and cost one comparison. */
type NamePattern = PlainPattern | { readonly kind: 'signs'; readonly signs: readonly Sign[] }

interface PlainPattern {
  readonly kind: 'whole' | 'begins' | 'ends'
  readonly text: string
}

/** A pattern for a path: one for each name; `DEEP` stands for any number of names. */
export type PathPattern = readonly (NamePattern | typeof DEEP)[]

const ANY = Symbol('any character')
const STAR = Symbol('any characters')
const DEEP = Symbol('any folders')
const SPECIAL = /[*?[\]\\]/

const CLASSES: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  alnum: [
    ['0', '9'],
    ['A', 'Z'],
    ['a', 'z'],
  ],
  alpha: [
    ['A', 'Z'],
    ['a', 'z'],
  ],
  blank: [
    [' ', ' '],
    ['\t', '\t'],
  ],
  digit: [['0', '9']],
  lower: [['a', 'z']],
  punct: [
    ['!', '/'],
    [':', '@'],
    ['[', '`'],
    ['{', '~'],
  ],
  space: [
    [' ', ' '],
    ['\t', '\r'],
  ],
  upper: [['A', 'Z']],
  xdigit: [
    ['0', '9'],
    ['A', 'F'],
    ['a', 'f'],
  ],
}

/** Reads a pattern; undefined for one that can fit no path. */
export function readPathPattern(text: string, anchored: boolean): PathPattern | undefined {
  if (text === '') return undefined
  if (!anchored) {
    const name = readNamePattern(text)
    return name && [name]
  }
  const parts: (NamePattern | typeof DEEP)[] = []
  for (const part of text.split('/')) {
    const read = part === '**' ? DEEP : readNamePattern(part)
    if (read === undefined) return undefined
    parts.push(read)
  }
  return parts
}

/** Whether a path, or a single name, fits. Takes at most the product of both lengths, so no pattern is slow. */
export function matchesPath(pattern: PathPattern, path: string): boolean {
  const [only] = pattern
  if (pattern.length === 1 && only !== DEEP && only !== undefined)
    return !path.includes('/') && matchesName(only, path)
  return matchesNames(pattern, path.split('/'))
}

/** `**` at the end stands for at least one name: a folder is not among what is in it. */
function matchesNames(pattern: PathPattern, names: readonly string[]): boolean {
  let [at, part] = [0, 0]
  let again: { at: number; part: number } | undefined
  while (at < names.length) {
    const wanted = pattern[part]
    if (wanted === DEEP) {
      if (part === pattern.length - 1) return true
      part += 1
      again = { at, part }
    } else if (wanted !== undefined && matchesName(wanted, names[at] as string)) {
      at += 1
      part += 1
    } else if (again) {
      again = { at: again.at + 1, part: again.part }
      ;({ at, part } = again)
    } else return false
  }
  return part === pattern.length
}

function matchesName(pattern: NamePattern, name: string): boolean {
  if (pattern.kind === 'signs') return matchesSigns(pattern.signs, [...name])
  if (pattern.kind === 'whole') return name === pattern.text
  return pattern.kind === 'ends' ? name.endsWith(pattern.text) : name.startsWith(pattern.text)
}

function matchesSigns(signs: readonly Sign[], name: readonly string[]): boolean {
  let [at, sign] = [0, 0]
  let again: { at: number; sign: number } | undefined
  while (at < name.length) {
    const wanted = signs[sign]
    if (wanted === STAR) {
      sign += 1
      again = { at, sign }
    } else if (wanted !== undefined && fits(wanted, name[at] as string)) {
      at += 1
      sign += 1
    } else if (again) {
      again = { at: again.at + 1, sign: again.sign }
      ;({ at, sign } = again)
    } else return false
  }
  while (signs[sign] === STAR) sign += 1
  return sign === signs.length
}

function fits(sign: Sign, character: string): boolean {
  if (sign === ANY) return true
  if (typeof sign === 'string') return sign === character
  if (typeof sign === 'symbol') return false
  return sign.ranges.some(([low, high]) => low <= character && character <= high) !== sign.negated
}

function readNamePattern(text: string): NamePattern | undefined {
  const rest = text.replace(/^\*+/, '')
  if (!SPECIAL.test(text)) return { kind: 'whole', text }
  if (rest !== text && !SPECIAL.test(rest)) return { kind: 'ends', text: rest }
  const front = text.replace(/\*+$/, '')
  if (front !== text && !SPECIAL.test(front)) return { kind: 'begins', text: front }
  const signs = readSigns([...text])
  return signs && { kind: 'signs', signs }
}

function readSigns(text: readonly string[]): Sign[] | undefined {
  const signs: Sign[] = []
  for (let at = 0; at < text.length; ) {
    const character = text[at] as string
    if (character === '[') {
      const read = readClass(text, at + 1)
      if (read === undefined) return undefined
      signs.push(read.found)
      at = read.end
      continue
    }
    if (character === '\\') at += 1
    const literal = text[at]
    if (literal === undefined) return undefined
    signs.push(character === '*' ? STAR : character === '?' ? ANY : literal)
    at += 1
  }
  return signs
}

function readClass(
  text: readonly string[],
  from: number,
): { found: CharacterClass; end: number } | undefined {
  const negated = text[from] === '!' || text[from] === '^'
  const ranges: (readonly [string, string])[] = []
  const first = negated ? from + 1 : from
  for (let at = first; at < text.length; ) {
    if (text[at] === ']' && at > first) return { found: { negated, ranges }, end: at + 1 }
    const named = text[at] === '[' && text[at + 1] === ':' ? readNamedClass(text, at) : undefined
    if (named) {
      ranges.push(...named.ranges)
      at = named.end
      continue
    }
    const low = readLiteral(text, at)
    if (low === undefined) return undefined
    const next = text[low.end + 1]
    const high = text[low.end] === '-' && next !== undefined && next !== ']' && readLiteral(text, low.end + 1)
    ranges.push([low.character, high ? high.character : low.character])
    at = high ? high.end : low.end
  }
  return undefined
}

function readNamedClass(text: readonly string[], at: number) {
  const end = text.indexOf(']', at)
  const name = text.slice(at + 2, end - 1).join('')
  const known = end > 0 && text[end - 1] === ':' && Object.hasOwn(CLASSES, name) ? CLASSES[name] : undefined
  return known && { ranges: known, end: end + 1 }
}

function readLiteral(text: readonly string[], at: number): { character: string; end: number } | undefined {
  const start = text[at] === '\\' ? at + 1 : at
  const character = text[start]
  return character === undefined ? undefined : { character, end: start + 1 }
}
