import { matchesPath, type PathPattern, readPathPattern } from './index-ignore-pattern.ts'

const LINES_MAX = 10_000
const LINE_MAX_CHARS = 1_000

/** One line of a `.gitignore`. */
interface IgnoreRule {
  readonly keeps: boolean
  readonly only_folders: boolean
  /** Counts from the file's own folder; without it, the last name of a path is compared at any depth. */
  readonly anchored: boolean
  readonly pattern: PathPattern
}

/** The rules of one `.gitignore` and of those above it. */
export interface IgnoreRules {
  /** What the paths in the folder of the file begin with: empty, or ending with `/`. */
  readonly base: string
  readonly rules: readonly IgnoreRule[]
  readonly above: IgnoreRules | undefined
}

/** Reads a `.gitignore` as git does; the last rule that fits decides. */
export function readIgnoreRules(base: string, text: string, above: IgnoreRules | undefined): IgnoreRules {
  const lines = text.replace(/^\ufeff/, '').split('\n', LINES_MAX)
  const rules = lines.flatMap((line) => readRule(line.replace(/\r$/, '')))
  return { base, rules: rules.toReversed(), above }
}

/**
 * Whether a path is left out by a rule of its own. What lies in a folder that is left out is left out too, which
 * is for the walk to see to: it does not enter.
 */
export function isIgnored(rules: IgnoreRules | undefined, path: string, is_folder: boolean): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  for (let from = rules; from !== undefined; from = from.above) {
    const below = path.slice(from.base.length)
    for (const rule of from.rules) {
      if (rule.only_folders && !is_folder) continue
      if (matchesPath(rule.pattern, rule.anchored ? below : name)) return !rule.keeps
    }
  }
  return false
}

function readRule(line: string): IgnoreRule[] {
  if (line === '' || line.startsWith('#') || line.length > LINE_MAX_CHARS) return []
  const keeps = line.startsWith('!')
  const text = trimEnd(keeps ? line.slice(1) : line)
  const only_folders = text.endsWith('/')
  const body = only_folders ? text.slice(0, -1) : text
  const anchored = body.includes('/')
  const pattern = readPathPattern(body.startsWith('/') ? body.slice(1) : body, anchored)
  return pattern === undefined ? [] : [{ keeps, only_folders, anchored, pattern }]
}

/** Blanks at the end do not count, unless a backslash stands before them. */
function trimEnd(text: string): string {
  let end = text.length
  while (end > 0 && text[end - 1] === ' ' && !isEscaped(text, end - 1)) end -= 1
  return text.slice(0, end)
}

function isEscaped(text: string, at: number): boolean {
  let slashes = 0
  while (text[at - 1 - slashes] === '\\') slashes += 1
  return slashes % 2 === 1
}
