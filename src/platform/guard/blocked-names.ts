import { boundedCache } from '../basics/cache.ts'

/** Closed at any depth, whatever a project's policy says; `.flow` because the policy itself lives there. */
const BUILT_IN = ['.env', '.git', 'secrets', 'node_modules', '.flow']
/** Locks of files under change; a tool that could write one could stop or rob the holder. */
export const LOCK_PREFIX = '.lock.'
/** Files that the guard writes before it renames them. */
export const TEMP_PREFIX = '.guard-tmp.'

const PATTERNS_MAX = 1_000
const PATTERN_LENGTH_MAX = 255
const SHORT_STEM_LENGTH = 6
const NAMES_KEPT = 1_000

const PLAIN = /^[\x20-\x7e]*$/
const ALIAS_TAIL = /[:/\\]/
const IGNORABLE = /\p{Default_Ignorable_Code_Point}/gu
const UNSHOWABLE = /[\p{Cc}\u2028\u2029]/u

/** Which single names are closed. */
export interface NameRules {
  /** A closed zone, a lock, or a file of the guard's own. */
  isClosed(name: string): boolean
  /** The same for the names of a path: the same few folders are on the way to most files, and are known. */
  isClosedOnWay(name: string): boolean
  /** A closed zone or a file of the guard's own; locks may pass. */
  isClosedToLocks(name: string): boolean
}

/** Whether a name holds characters that no path given to the guard may hold. */
export function hasControlCharacters(text: string): boolean {
  return !PLAIN.test(text) && UNSHOWABLE.test(text)
}

/**
 * One spelling for all names that some file system takes for the same: letters without case, compatibility
 * forms, invisible characters dropped, and the dots and blanks that Windows drops from the end of a name.
 */
export function foldName(name: string): string {
  return dropTail(PLAIN.test(name) ? name.toLowerCase() : foldLetters(name))
}

function foldLetters(name: string): string {
  const visible = name.normalize('NFKC').replace(IGNORABLE, '')
  // Upper case first: letters such as the long s and the dotless i have a plain one only that way.
  return visible.toUpperCase().toLowerCase().normalize('NFKC')
}

function dropTail(folded: string): string {
  let end = folded.length
  while (end > 0 && (folded[end - 1] === '.' || folded[end - 1] === ' ')) end -= 1
  return folded.slice(0, end)
}

/** The same for the name that is meant behind a stream (`HEAD::$DATA`) or another system's separator. */
export function foldAlias(name: string): string {
  return beforeAlias(foldName(name))
}

/** The part before a stream (`.git::$INDEX_ALLOCATION`) or another system's separator (`.git\\config`). */
function beforeAlias(folded: string): string {
  const tail = folded.search(ALIAS_TAIL)
  return tail < 0 ? folded : dropTail(folded.slice(0, tail))
}

/** Reads the patterns once; throws on one that could never match a single name, for it would protect nothing. */
export function compileNameRules(block_patterns: readonly string[]): NameRules {
  if (block_patterns.length > PATTERNS_MAX) throw new Error(`more than ${PATTERNS_MAX} block patterns`)
  const patterns = [...BUILT_IN, ...block_patterns].map(foldPattern)
  const whole = new Set(patterns.filter((pattern) => !pattern.includes('*')))
  const globs = patterns.filter((pattern) => pattern.includes('*')).map((pattern) => pattern.split('*'))
  const stems = new Set([...whole].map(shortStem))
  const isZone = (folded: string): boolean =>
    whole.has(folded) ||
    folded.startsWith('.env.') ||
    (folded.includes('~') && stems.has(stemOfShortName(folded))) ||
    globs.some((parts) => matchesGlob(parts, folded))
  const isForbidden = (folded: string): boolean =>
    isZone(folded) || isZone(beforeAlias(folded)) || folded.startsWith(TEMP_PREFIX)
  const isClosed = (name: string): boolean => {
    const folded = foldName(name)
    return folded.startsWith(LOCK_PREFIX) || isForbidden(folded)
  }
  return {
    isClosed,
    isClosedOnWay: boundedCache(NAMES_KEPT, isClosed),
    isClosedToLocks: (name) => isForbidden(foldName(name)),
  }
}

function foldPattern(pattern: string): string {
  const name = pattern.replace(/\/{1,8}$/, '')
  const folded = foldName(name)
  if (folded === '' || name.includes('/') || name.length > PATTERN_LENGTH_MAX || hasControlCharacters(name))
    throw new Error(`block pattern ${JSON.stringify(pattern)} is not one whole name such as "secrets/"`)
  return folded
}

/** How FAT and NTFS shorten a name: `node_m~1` for `node_modules`, `git~1` for `.git`. */
function shortStem(folded: string): string {
  return folded.replaceAll(/[. ]/g, '').slice(0, SHORT_STEM_LENGTH)
}

function stemOfShortName(folded: string): string {
  return /^([^~]{1,6})~\d{1,6}(?:\.|$)/.exec(folded)?.[1] ?? '\0'
}

/** The parts between stars, in their order; runs once over the name, so no pattern can make it slow. */
function matchesGlob(parts: readonly string[], name: string): boolean {
  const [first = '', ...rest] = parts
  const last = rest.pop() ?? ''
  if (!name.startsWith(first)) return false
  let from = first.length
  for (const part of rest) {
    const found = name.indexOf(part, from)
    if (found < 0) return false
    from = found + part.length
  }
  return name.length - last.length >= from && name.endsWith(last)
}
