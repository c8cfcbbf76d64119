import { hasSignAndDigit, isDigitsAmongLetters, isSignedLetters } from '../looks/chosen-password.ts'
import { isOddLetters, isPassphrase } from '../looks/named-things.ts'
import { isPlaceholder } from '../looks/placeholder.ts'
import { surprise } from '../looks/randomness.ts'
import { isHex, isUuid } from '../looks/value-shapes.ts'
import { buildAnchors, ROW_BITS } from '../scan/anchors.ts'
import type { KnownForm } from './known-values.ts'

/**
 * A secret that one place of a text tells by its name stands elsewhere in the text without a name. What was found once
 * is therefore looked for in all of the text, if it cannot be anything else: a password such as `production` is hidden
 * where its name stands and nowhere else, for it would take words out of the whole text.
 */
export interface Repeats {
  /** Takes note of a value that was found. */
  note(value: string, rule: string): void
  /** Where values that were noted stand, in the order of the text; some may overlap. */
  findIn(text: string): readonly Repeat[]
}

export interface Repeat {
  readonly rule: string
  readonly start: number
  readonly end: number
}

const MIN_CHARS = 6
const MIN_CHANCE_CHARS = 8
/** Shorter values are only looked for as whole words. */
const MIN_INSIDE_CHARS = 20
/** With one of these a value is no part of a word. */
const SIGN = /[!@#$%^&*?~+]/
/** A longer value is looked for by its beginning, and is gone to the end of the word. */
const NEEDLE_CHARS = 64
/** More are not noted: a text of nothing but secrets has few of them twice. */
const MAX_VALUES = 256
/** So many are looked for one after the other. */
const FEW = 8
const RANDOM_BITS = { short: 4.8, letters: 5.6, lettersChars: 10 }
/** What may stand before a line of a value where it was set in, quoted, numbered or made a remark. */
const LEAD = /[ \t\d>|#*:+./-]{0,40}/y
const LEAD_CHARS = 40
const REST = /[^\s"'`<>,;]*/y
/** These are found wherever they stand, or hide lines rather than values. */
const ELSEWHERE = new Set(['known_value', 'environment_value', 'owner_pattern', 'private_key'])

export function repeats(blocks: readonly KnownForm[] = []): Repeats {
  const rules = new Map<string, string>()
  let search: ((text: string) => Repeat[]) | undefined
  return {
    note(value, rule) {
      const needle = value.slice(0, NEEDLE_CHARS)
      if (rules.size >= MAX_VALUES || ELSEWHERE.has(rule) || rules.has(needle) || !isUnmistakable(value))
        return
      rules.set(needle, rule)
      const inAddress = encodeURIComponent(value.toWellFormed()).slice(0, NEEDLE_CHARS)
      if (inAddress !== needle && !rules.has(inAddress)) rules.set(inAddress, rule)
      search = undefined
    },
    findIn(text) {
      const lines = blocks.length === 0 ? [] : linesOfBlocks(text, blocks)
      if (rules.size === 0) return lines
      search ??= rules.size <= FEW ? oneByOne(rules) : allAtOnce(rules)
      const found = search(text).filter((repeat) => isWholeWord(text, repeat))
      return lines.length === 0 ? found : [...lines, ...found].toSorted((a, b) => a.start - b.start)
    },
  }
}

/** Made by chance or chosen as a password: no word, no name and no number of an ordinary text. */
function isUnmistakable(value: string): boolean {
  if (value.length < MIN_CHARS || /\s/.test(value) || isPlaceholder(value)) return false
  if (isPassphrase(value)) return true
  if (isUuid(value) || hasSignAndDigit(value) || isSignedLetters(value) || isOddLetters(value)) return true
  if (isHex(value)) return value.length >= 16 && /\d/.test(value)
  if (isDigitsAmongLetters(value)) return true
  // Names are words that are joined; what is made by chance has one part that no name has.
  return value.split(/[^A-Za-z0-9]+/).some(isChance)
}

function isChance(part: string): boolean {
  if (!/\d/.test(part))
    return part.length >= RANDOM_BITS.lettersChars && surprise(part) >= RANDOM_BITS.letters
  if (part.length < MIN_CHANCE_CHARS || !/[A-Za-z]/.test(part) || surprise(part) < RANDOM_BITS.short)
    return false
  return /\d.*\d/.test(part) || /[a-z][A-Z]/.test(part)
}

function oneByOne(rules: ReadonlyMap<string, string>): (text: string) => Repeat[] {
  return (text) => {
    const found: Repeat[] = []
    for (const [needle, rule] of rules)
      for (let at = text.indexOf(needle), end = 0; at >= 0; at = text.indexOf(needle, end)) {
        end = endOf(text, at, needle)
        found.push({ rule, start: at, end })
      }
    return found.toSorted((a, b) => a.start - b.start)
  }
}

/** One walk over the text, however many values there are. */
function allAtOnce(rules: ReadonlyMap<string, string>): (text: string) => Repeat[] {
  const needles = [...rules]
  const { classes, other, next, firstHit, hitsOf } = buildAnchors(needles.map(([needle]) => needle))
  return (text) => {
    const found: Repeat[] = []
    for (let at = 0, place = 0, covered = 0; at < text.length; at++) {
      const code = text.charCodeAt(at)
      place = next[(place << ROW_BITS) + (code < 128 ? (classes[code] as number) : other)] as number
      if (place < firstHit) continue
      for (const index of hitsOf[place - firstHit] as readonly number[]) {
        const [needle, rule] = needles[index] as [string, string]
        const start = at + 1 - needle.length
        // The walk takes letters of both cases for one, and all signs beyond a few.
        const isLong = needle.length === NEEDLE_CHARS
        if ((isLong && start < covered) || !text.startsWith(needle, start)) continue
        const end = endOf(text, start, needle)
        if (isLong) covered = end
        found.push({ rule, start, end })
      }
    }
    return found.toSorted((a, b) => a.start - b.start)
  }
}

/** No piece reaches over the end of a line. */
function linesOfBlocks(text: string, blocks: readonly KnownForm[]): Repeat[] {
  const found: Repeat[] = []
  for (const { text: block, rule } of blocks) {
    const lines = block.split('\n')
    const first = lines[0] as string
    for (let at = text.indexOf(first), covered = 0; at >= 0; at = text.indexOf(first, at + first.length)) {
      const starts = at < covered ? undefined : startsOf(text, at, lines)
      if (!starts) continue
      for (const [index, start] of starts.entries()) {
        const end = start + (lines[index] as string).replace(/\r$/, '').length
        if (end > start) found.push({ rule, start, end })
        covered = end
      }
    }
  }
  return found.toSorted((a, b) => a.start - b.start)
}

/** Where each line of a block begins if the first one is at a place: others may be set in, quoted or numbered. */
function startsOf(text: string, at: number, lines: readonly string[]): number[] | undefined {
  const starts: number[] = []
  let end = at
  for (const line of lines) {
    if (starts.length > 0 && text[end] !== '\n') return undefined
    const start = starts.length === 0 ? at : startAfter(text, end + 1, line)
    if (start === undefined) return undefined
    starts.push(start)
    end = start + line.length
  }
  return starts
}

/** A lead may be a part of the line itself: the shortest one that leaves the line whole is taken. */
function startAfter(text: string, from: number, line: string): number | undefined {
  LEAD.lastIndex = from
  const lead = LEAD.exec(text)?.[0].length ?? 0
  const beginning = line.slice(0, LEAD_CHARS)
  const offset = text.slice(from, from + lead + beginning.length).indexOf(beginning)
  return offset >= 0 && text.startsWith(line, from + offset) ? from + offset : undefined
}

function endOf(text: string, start: number, needle: string): number {
  const end = start + needle.length
  if (needle.length < NEEDLE_CHARS) return end
  REST.lastIndex = end
  return end + (REST.exec(text)?.[0].length ?? 0)
}

function isWholeWord(text: string, { start, end }: Repeat): boolean {
  if (end - start >= MIN_INSIDE_CHARS || SIGN.test(text.slice(start, end))) return true
  return !/\w/.test(text[start - 1] ?? '') && !/\w/.test(text[end] ?? '')
}
