import { isNameCode } from './pair.ts'

const MAX_NAME_CHARS = 100
const MAX_GAP_CHARS = 40
const MAX_TYPE_CHARS = 7
const TYPES = new Set(
  'string str char text varchar const std final nstring cstring var let val auto dim as'.split(' '),
)
/** `@name NVARCHAR(50) = …` */
const SIZED_TYPE = /[A-Za-z]{3,12}\(\d{1,5}\)\s{0,3}$/
const MAX_TYPES = 3
/** Before the word `key` in a text, each says what kind of key it is. */
const KEY_KINDS = new Set(
  'public api secret access private account master license signing encryption shared'.split(' '),
)

/** The name that ends before `at`; a type between name and operator is passed over. */
export function nameBefore(line: string, at: number): string {
  const sized = line[at - 2] === ')' ? SIZED_TYPE.exec(line.slice(Math.max(0, at - 25), at))?.[0].length : 0
  let end = skipBack(line, at - (sized ?? 0))
  // `char name[33] = …`
  if (line[end] === ']') end -= /\[\d{0,5}$/.exec(line.slice(Math.max(0, end - 6), end))?.[0].length ?? 0
  let name = nameEndingAt(line, end)
  for (let types = 0; types < MAX_TYPES && isType(name); types++) {
    const before = skipBack(line, end - name.length)
    const named = nameEndingAt(line, before)
    if (named === '') break
    end = before
    name = named
  }
  return spokenName(line, end - name.length, name)
}

function isType(name: string): boolean {
  return name.length <= MAX_TYPE_CHARS && TYPES.has(name.toLowerCase())
}

/** `API key: …`, as people write it. */
function spokenName(line: string, start: number, name: string): string {
  if (name.length !== 3 || line[start - 1] !== ' ' || name.toLowerCase() !== 'key') return name
  const before = nameEndingAt(line, start - 1)
  return KEY_KINDS.has(before.toLowerCase()) ? `${before} ${name}` : name
}

function skipBack(line: string, from: number): number {
  let at = from
  const stop = Math.max(0, from - MAX_GAP_CHARS)
  while (at > stop && ' \t"\'`\\])*?:'.includes(line[at - 1] as string)) at--
  return at
}

/** The name whose last character stands right before a place. */
export function nameEndingAt(line: string, end: number): string {
  let start = end
  const stop = Math.max(0, end - MAX_NAME_CHARS)
  while (start > stop && isNameCode(line.charCodeAt(start - 1))) start--
  return line.slice(start, end)
}
