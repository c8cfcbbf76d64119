import { PACKAGE_VERSION } from '../basics/package-folder.ts'
import { findToolAnswer } from './tool-answer.ts'
import { UpstreamFailure } from './upstream-failure.ts'

const OFFERED_VERSION = '2025-11-25'
const KNOWN_VERSIONS = new Set([OFFERED_VERSION, '2025-06-18', '2025-03-26', '2024-11-05'])

const MAX_TOOL_PAGES = 50
const MAX_TOOLS = 10_000
/** No policy has room for a longer name, so nobody will ever ask for it. */
const MAX_NAME_CHARS = 4_096
/** A tool not in the list is looked for again, but a caller cannot make the hub ask for it all the time. */
const RELIST_AFTER_MS = 5000
/** A list or a handshake may be this large, whatever the tools themselves may answer. */
export const MAX_SETUP_BYTES = 4_194_304

/** Asks the server one thing of the set-up: not a tool call. */
export type Ask = (method: string, params: object) => Promise<unknown>

/** What a client says first. */
export const INITIALIZE_PARAMS = {
  protocolVersion: OFFERED_VERSION,
  capabilities: {},
  clientInfo: { name: 'knowtation', version: PACKAGE_VERSION },
}

/** The version the server chose; a failure if the hub does not speak it. */
export function requireVersion(result: unknown): string {
  const version = (Object(result) as { protocolVersion?: unknown }).protocolVersion
  if (typeof version !== 'string' || !KNOWN_VERSIONS.has(version))
    throw new UpstreamFailure('protocol', false)
  return version
}

/** The answer of a tool, if it has the shape of one. */
export function requireToolResult(result: unknown): object {
  const answer = findToolAnswer(result)
  if (!answer) throw new UpstreamFailure('protocol', true)
  return answer
}

export interface ToolList {
  has(tool: string): boolean
  /** Looks the tool up, asking the server if need be. Throws `tool_missing`. */
  check(tool: string): Promise<void>
  forget(): void
}

/** The names of a server's tools, asked for once and again when the server says that they changed. */
export function toolList(ask: Ask): ToolList {
  let names: Set<string> | undefined
  let listed_at = Number.NEGATIVE_INFINITY
  let asking: Promise<Set<string>> | undefined
  let edition = 0
  const relist = () => {
    const asked_for = edition
    asking ??= listTools(ask)
      .then((found) => {
        listed_at = performance.now()
        // A change announced meanwhile makes this list good for those who waited for it, no longer.
        if (asked_for === edition) names = found
        return found
      })
      .finally(() => {
        asking = undefined
      })
    return asking
  }
  return {
    has: (tool) => names?.has(tool) ?? false,
    async check(tool) {
      if (names?.has(tool)) return
      const settled = names !== undefined && performance.now() - listed_at < RELIST_AFTER_MS
      const found = settled ? names : await relist()
      if (!found?.has(tool)) throw new UpstreamFailure('tool_missing', false)
    },
    forget() {
      edition++
      names = undefined
    },
  }
}

async function listTools(ask: Ask): Promise<Set<string>> {
  const names = new Set<string>()
  let cursor: string | undefined
  for (let page = 0; page < MAX_TOOL_PAGES; page++) {
    const answer = Object(await ask('tools/list', cursor === undefined ? {} : { cursor }))
    const { tools, nextCursor } = answer as { tools?: unknown; nextCursor?: unknown }
    if (!Array.isArray(tools)) throw new UpstreamFailure('protocol', false)
    for (const tool of tools.slice(0, MAX_TOOLS)) {
      const { name } = Object(tool) as { name?: unknown }
      if (typeof name !== 'string' || name.length > MAX_NAME_CHARS) continue
      if (names.size < MAX_TOOLS) names.add(name)
    }
    if (typeof nextCursor !== 'string' || nextCursor === '') break
    cursor = nextCursor
  }
  return names
}
