import { UpstreamFailure } from '../upstream-failure.ts'
import type { Ask } from './mcp-client.ts'

const MAX_TOOL_PAGES = 50
const MAX_TOOLS = 10_000
/** No policy has room for a longer name, so nobody will ever ask for it. */
const MAX_NAME_CHARS = 4_096
const MAX_LISTING_CHARS = 8_388_608
/** A tool not in the list is looked for again, but a caller cannot make the hub ask for it all the time. */
const RELIST_AFTER_MS = 5000
/** A list is good for as long as its server says, but no shorter and no longer than this. */
const MIN_GOOD_MS = 5_000
const MAX_GOOD_MS = 300_000

/** A tool as a server lists it. All but the name is the server's own word, and of any shape. */
export interface ListedTool {
  readonly name: string
  readonly [field: string]: unknown
}

/**
 * Looks at what a session lists under the name of a tool, immediately before a call of it is sent. What it throws
 * ends the call.
 */
export type Vet = (listed: readonly ListedTool[]) => void

export interface ToolListing {
  /** In the server's order; a server may list a name twice. */
  readonly tools: readonly ListedTool[]
  /** How many things it lists that have no usable name. */
  readonly unusable: number
  /** Names of tools whose definitions cannot be used: nested too deep to be looked through, say. */
  readonly unreadable: readonly string[]
  /** Whether it lists more than the hub looks at. */
  readonly is_cut: boolean
}

/** Which listing is wanted. */
export type Wanted = 'anew' | 'latest'

/** The tools of one session, asked for once and again when the server says that they changed. */
export interface KnownTools {
  /** All that the server lists under a name, if it is known: the same array for as long as the listing stands. */
  find(tool: string): readonly ListedTool[] | undefined
  /** The same, asking the server if need be. Throws `tool_missing`. */
  require(tool: string): Promise<readonly ListedTool[]>
  /** Asks anew, whatever is known. */
  list(): Promise<ToolListing>
  /** What is known, or being asked for; asks only where there is neither. */
  latest(): Promise<ToolListing>
  forget(): void
}

interface Known {
  readonly listing: ToolListing
  readonly good_ms: number
  readonly by_name: ReadonlyMap<string, readonly ListedTool[]>
}

/** `isSound` says which definitions the protocol lets a client use. */
export function knownTools(ask: Ask, isSound: (tool: ListedTool) => boolean = () => true): KnownTools {
  let known: Known | undefined
  let listed_at = Number.NEGATIVE_INFINITY
  let asking: { edition: number; found: Promise<Known> } | undefined
  let edition = 0
  const relist = async (): Promise<Known> => {
    const mine = { edition, found: listTools(ask, isSound) }
    asking = mine
    try {
      const found = await mine.found
      listed_at = performance.now()
      // A change announced meanwhile makes this list good for those who waited for it, no longer.
      if (mine.edition === edition) known = found
      return found
    } finally {
      if (asking === mine) asking = undefined
    }
  }
  const isYoung = (ms: number) => performance.now() - listed_at < ms
  /** Who changes its tools without a word is found out sooner or later. */
  const good = () => (known && isYoung(known.good_ms) ? known : undefined)
  return {
    find: (tool) => good()?.by_name.get(tool),
    async require(tool) {
      const latest = good()
      const settled = latest && isYoung(RELIST_AFTER_MS)
      if (latest && (settled || latest.by_name.has(tool))) return definitionsIn(latest, tool)
      // A list asked for before the server spoke of a change is not good enough for who comes after.
      return definitionsIn(await (asking?.edition === edition ? asking.found : relist()), tool)
    },
    list: async () => (await relist()).listing,
    latest: async () => (good() ?? (await (asking?.edition === edition ? asking.found : relist()))).listing,
    forget() {
      edition++
      known = undefined
    },
  }
}

/** Has whoever vets look at definitions; what was objected to is asked for anew next time. */
export function showToVet(tools: KnownTools, definitions: readonly ListedTool[], vet: Vet | undefined): void {
  try {
    vet?.(definitions)
  } catch (error) {
    tools.forget()
    throw error
  }
}

/** The listing that is wanted of a session's tools. */
export function listingOf(tools: KnownTools, want: Wanted): Promise<ToolListing> {
  return want === 'anew' ? tools.list() : tools.latest()
}

function definitionsIn({ by_name }: Known, tool: string): readonly ListedTool[] {
  const found = by_name.get(tool)
  if (!found) throw new UpstreamFailure('tool_missing', false)
  return found
}

async function listTools(ask: Ask, isSound: (tool: ListedTool) => boolean): Promise<Known> {
  const tools: ListedTool[] = []
  const unreadable: string[] = []
  let good_ms = MAX_GOOD_MS
  let unusable = 0
  let is_cut = false
  let chars = 0
  let cursor: string | undefined
  for (let page = 0; page < MAX_TOOL_PAGES; page++) {
    const answer = Object(await ask('tools/list', cursor === undefined ? {} : { cursor }))
    const { tools: listed, nextCursor, ttlMs } = answer as Record<string, unknown>
    if (!Array.isArray(listed)) throw new UpstreamFailure('protocol', false)
    if (typeof ttlMs === 'number') good_ms = Math.max(MIN_GOOD_MS, Math.min(good_ms, ttlMs))
    for (const tool of listed) {
      chars += JSON.stringify(tool).length
      if (tools.length + unreadable.length + unusable >= MAX_TOOLS || chars > MAX_LISTING_CHARS) is_cut = true
      else if (!hasUsableName(tool)) unusable++
      else if (isSound(tool)) tools.push(tool)
      else unreadable.push(tool.name)
    }
    cursor = typeof nextCursor === 'string' && nextCursor !== '' ? nextCursor : undefined
    if (cursor === undefined) break
  }
  const listing = { tools, unusable, unreadable, is_cut: is_cut || cursor !== undefined }
  return { listing, by_name: byName(tools), good_ms }
}

function hasUsableName(tool: unknown): tool is ListedTool {
  const { name } = Object(tool) as { name?: unknown }
  return typeof name === 'string' && name.length <= MAX_NAME_CHARS
}

function byName(tools: readonly ListedTool[]): Known['by_name'] {
  const found = new Map<string, ListedTool[]>()
  for (const tool of tools) {
    const same = found.get(tool.name)
    if (same) same.push(tool)
    else found.set(tool.name, [tool])
  }
  return found
}
