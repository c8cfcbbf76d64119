import { isVerbose, type PatternPart } from './pattern-parts.ts'

/** A repeat that stands where none can, which the engine takes all the same. */
export interface MisplacedRepeat {
  readonly of: 'repeat' | 'possessive' | 'anchor'
  readonly part: PatternPart
}

const ANCHOR_ESCAPE = /^\\(?:[bBAzZG]|b\{)/
/** What a pattern in verbose mode may hold between two parts without a meaning. */
const NOTHING = /(?:\s|#[^\n]*\n)+$/

/**
 * Finds a repeat of a repeat (`a**`, `a{2}{3}`), and of what takes no characters (`^*`). Other engines refuse them, and
 * nobody who writes one means it. A `?` directly behind a repeat makes that one lazy, and is none of its own.
 */
export function findMisplacedRepeat(
  pattern: string,
  parts: readonly PatternPart[],
): MisplacedRepeat | undefined {
  let is_lazy = false
  for (const [at, part] of parts.entries()) {
    if (part.kind !== 'repeat') continue
    const before = parts[at - 1]
    const gap = gapBefore(pattern, part)
    const follows = before !== undefined && endOf(before) === part.start - gap
    const again = follows && before.kind === 'repeat'
    if (again && gap === 0 && part.text === '?' && !is_lazy) {
      is_lazy = true
      continue
    }
    if (again) return { of: gap === 0 && part.text === '+' && !is_lazy ? 'possessive' : 'repeat', part }
    is_lazy = false
    const letter = pattern[part.start - gap - 1] ?? ''
    if (follows ? isAnchor(before) : letter === '^' || letter === '$') return { of: 'anchor', part }
  }
  return undefined
}

function gapBefore(pattern: string, { start }: PatternPart): number {
  return isVerbose(pattern) ? (NOTHING.exec(pattern.slice(0, start))?.[0].length ?? 0) : 0
}

function isAnchor({ kind, text }: PatternPart): boolean {
  return kind === 'escape' && ANCHOR_ESCAPE.test(text)
}

/** Only what is compared with the beginning of a repeat has to be right: the parts that are given whole. */
function endOf({ start, text }: PatternPart): number {
  return start + text.length
}
