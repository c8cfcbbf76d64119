import { cachePerObject } from '../../basics/cache.ts'
import type { ListedTool } from '../mcp/tool-listing.ts'

const MARK = 'x-mcp-header'
const PREFIX = 'mcp-param-'
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$/
const MIRRORED_TYPES: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean'])
/** Under these stand values, whatever they look like. */
const HOLDS_VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples'])
/** Under these stand schemas by names of their own. */
const HOLDS_NAMES: ReadonlySet<string> = new Set(
  'patternProperties $defs definitions dependentSchemas dependencies'.split(' '),
)
/** What is nested deeper is not looked at, and nobody can review it. */
const MAX_DEPTH = 64

/** A parameter that goes into a header, too. */
interface Mirrored {
  readonly path: readonly string[]
  readonly header: string
}

/** What the tools of a session want mirrored, worked out once for each definition. */
export interface Mirrors {
  /** Whether a tool wants nothing that no client may do: one that does is left out. */
  isSound(tool: ListedTool): boolean
  /** The headers that mirror a payload. */
  headersFor(tool: ListedTool | undefined, payload: object): Record<string, string>
}

export function openMirrors(): Mirrors {
  const find = cachePerObject(findMirrored)
  return {
    isSound: (tool) => find(tool) !== undefined,
    headersFor(tool, payload) {
      const told = ((tool && find(tool)) ?? []).flatMap(({ path, header }) => {
        const word = wordOf(valueAt(payload, path))
        return word === undefined ? [] : [[header, headerValue(word)]]
      })
      return Object.fromEntries(told)
    },
  }
}

/** The parameters that a tool's schema wants mirrored into headers (2026-07-28, `x-mcp-header`), if it may. */
function findMirrored({ inputSchema }: ListedTool): readonly Mirrored[] | undefined {
  const found: Mirrored[] = []
  const isSound = isSoundSchema(inputSchema, [], 0, found)
  const names = new Set(found.map(({ header }) => header))
  return isSound && names.size === found.length ? found : undefined
}

/** Walks all of a schema; only through `properties` alone a parameter can be found again in a call. */
function isSoundSchema(
  schema: unknown,
  path: readonly string[] | undefined,
  depth: number,
  found: Mirrored[],
): boolean {
  if (typeof schema !== 'object' || schema === null || depth > MAX_DEPTH) return true
  if (Object.hasOwn(schema, MARK) && !takeMark(schema, path, found)) return false
  return Object.entries(schema).every(([keyword, held]) => {
    if (HOLDS_VALUES.has(keyword) || typeof held !== 'object' || held === null) return true
    const named = keyword === 'properties' && !Array.isArray(schema)
    if (!named && !HOLDS_NAMES.has(keyword)) return isSoundSchema(held, undefined, depth + 1, found)
    return Object.entries(held).every(([name, one]) =>
      isSoundSchema(one, named && path ? [...path, name] : undefined, depth + 1, found),
    )
  })
}

function takeMark(schema: object, path: readonly string[] | undefined, found: Mirrored[]): boolean {
  const { [MARK]: name, type } = schema as { [MARK]?: unknown; type?: unknown }
  if (!path?.length || typeof name !== 'string' || !TOKEN.test(name) || !MIRRORED_TYPES.has(type))
    return false
  found.push({ path, header: PREFIX + name.toLowerCase() })
  return true
}

function valueAt(payload: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (held, name) =>
      typeof held === 'object' && held !== null && Object.hasOwn(held, name)
        ? (held as Record<string, unknown>)[name]
        : undefined,
    payload,
  )
}

function wordOf(value: unknown): string | undefined {
  if (typeof value === 'string' || typeof value === 'boolean' || Number.isSafeInteger(value))
    return String(value)
  return undefined
}

/** A text as a header may have it: as it is where that is safe, else in the coding that servers take off again. */
export function headerValue(text: string): string {
  const isPlain = /^[!-~](?:[ -~]*[!-~])?$/.test(text) && !/^=\?base64\?.*\?=$/.test(text)
  return isPlain ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`
}
