import { posix } from 'node:path'

/** What the settings of a compiler say that imports in its folder stand for. */
export interface ScriptAliases {
  readonly folder: string
  /** Where names count from that begin with no dot. */
  readonly base: string | undefined
  /** A name, with at most one `*` in it, and the paths that it stands for. */
  readonly names: readonly (readonly [name: string, paths: readonly string[]])[]
}

const NAMES_LIMIT = 200
const SETTINGS = /^(?:ts|js)config(?:\.[\w-]{1,100})?\.json$/

/** Whether a file is one of those settings, by its name. */
export function isAliasFile(name: string): boolean {
  return SETTINGS.test(name)
}

/** Reads `baseUrl` and `paths`; undefined where there are none, or the text cannot be read. */
export function readAliases(folder: string, text: string): ScriptAliases | undefined {
  const options = objectOf(objectOf(parseWithComments(text))?.compilerOptions)
  const base_url = options?.baseUrl
  const base = typeof base_url === 'string' ? posix.join(folder, base_url) : undefined
  const from = base ?? folder
  const names = Object.entries(objectOf(options?.paths) ?? {})
    .slice(0, NAMES_LIMIT)
    .map(([name, paths]) => [name, listTexts(paths).map((path) => posix.join(from, path))] as const)
  return base === undefined && names.length === 0 ? undefined : { folder, base, names }
}

/** The paths that an import may stand for, from the folder that all paths count from. */
export function aliasedPaths({ base, names }: ScriptAliases, spec: string): string[] {
  const named = names.flatMap(([name, paths]) => {
    const taken = takenBy(name, spec)
    return taken === undefined ? [] : paths.map((path) => path.replace('*', () => taken))
  })
  return base === undefined ? named : [...named, posix.join(base, spec)]
}

/** What the `*` of a name stands for in an import; undefined where the name does not fit. */
function takenBy(name: string, spec: string): string | undefined {
  const star = name.indexOf('*')
  if (star < 0) return name === spec ? '' : undefined
  const [start, end] = [name.slice(0, star), name.slice(star + 1)]
  const fits = spec.length >= start.length + end.length && spec.startsWith(start) && spec.endsWith(end)
  return fits ? spec.slice(start.length, spec.length - end.length) : undefined
}

function objectOf(value: unknown): Record<string, unknown> | undefined {
  const is_object = typeof value === 'object' && value !== null && !Array.isArray(value)
  return is_object ? (value as Record<string, unknown>) : undefined
}

function listTexts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((one) => typeof one === 'string') : []
}

/** Compilers take comments and a comma at the end of a list; other readers of JSON do not. */
function parseWithComments(text: string): unknown {
  try {
    return JSON.parse(withoutExtras(text.replace(/^\ufeff/, '')))
  } catch {
    return undefined
  }
}

/** Goes over the text once; what is in strings stays. */
function withoutExtras(text: string): string {
  const kept: string[] = []
  for (let at = 0; at < text.length; ) {
    const end = endOfPart(text, at)
    const part = text.slice(at, end)
    at = end
    if (part.startsWith('//') || part.startsWith('/*') || part.trim() === '') continue
    if (/^[}\]]/.test(part) && kept.at(-1) === ',') kept.pop()
    kept.push(part)
  }
  return kept.join('')
}

/** A string, a comment, or a single sign. */
function endOfPart(text: string, start: number): number {
  const sign = text[start]
  if (sign === '"') {
    let at = start + 1
    while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1
    return at + 1
  }
  const pair = text.slice(start, start + 2)
  if (pair !== '//' && pair !== '/*') return start + 1
  const end = text.indexOf(pair === '//' ? '\n' : '*/', start + 2)
  return end < 0 ? text.length : end + (pair === '//' ? 1 : 2)
}
