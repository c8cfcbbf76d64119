import type { Hub } from '../../../operations/hub.ts'
import { listVaults } from '../../../platform/basics/home.ts'
import {
  endMissing,
  findDefinition,
  findOpenReview,
  keepDefinition,
  type PinnedTool,
} from '../../../platform/pins/review-store.ts'
import { type Judgement, judgeListed, type Pinned } from '../../../platform/pins/tool-definition.ts'
import { type McpServer, serverId } from '../../../platform/upstream/mcp/server-events.ts'
import type { ListedTool, ToolListing } from '../../../platform/upstream/mcp/tool-listing.ts'
import type { ToolProvider } from '../../../platform/upstream/provider-policy.ts'
import { UpstreamFailure } from '../../../platform/upstream/upstream-failure.ts'
import { closeTool } from './close-tool.ts'
import { pinnedTool } from './pinned-tools.ts'

interface Bound {
  readonly tool: PinnedTool
  /** Its name at the server. */
  readonly name: string
  readonly server: McpServer
}

/** Compares what a server lists with the pins of every vault, and closes what differs. */
export async function checkServer(hub: Hub, server_id: string, signal: AbortSignal): Promise<void> {
  const bound = boundTo(hub, server_id)
  const [first] = bound
  if (!first) return
  const listing = await findListing(hub, first.server, signal)
  if (!listing) return
  const named = Map.groupBy(listing.tools, ({ name }) => name)
  for (const one of bound) {
    const listed = named.get(one.name) ?? []
    if (listing.unreadable.includes(one.name)) await close(hub, one.tool, UNREADABLE)
    // What is beyond what the hub looks at may be there: a call finds out.
    else if (listed.length > 0 || !listing.is_cut) await check(hub, one.tool, listed)
  }
}

/** The tools of all vaults that this server stands behind, as far as they are pinned. */
function boundTo({ home, rulesOf }: Hub, server_id: string): Bound[] {
  return listVaults(home).flatMap((vault_id) => {
    const { allowed_tools = [] } = rulesOf(vault_id).policy.value.external_agent ?? {}
    return allowed_tools.flatMap((allowed) => {
      const tool = pinnedTool(vault_id, allowed)
      const { provider } = allowed
      if (!tool || !isOfServer(provider) || serverId(provider) !== server_id) return []
      return [{ tool, name: provider.tool, server: provider }]
    })
  })
}

function isOfServer(provider: ToolProvider | undefined): provider is ToolProvider & { kind: 'mcp' } {
  return provider?.kind === 'mcp'
}

/** What the session knows, or is being told just now: a call that began it has asked already. */
async function findListing(
  hub: Hub,
  server: McpServer,
  signal: AbortSignal,
): Promise<ToolListing | undefined> {
  try {
    return await hub.upstreams.listTools(server, { signal, want: 'latest' })
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    if (!signal.aborted)
      hub.log.warn({ reason: error.reason }, 'a server with pinned tools did not list them')
    return undefined
  }
}

const UNREADABLE: Judgement = { finding: 'unreadable', found: undefined }

function close(hub: Hub, tool: PinnedTool, judged: Judgement): Promise<void> {
  return hub.db.transaction((tx) => closeTool(tx, hub, tool, judged))
}

async function check(hub: Hub, tool: PinnedTool, listed: readonly ListedTool[]): Promise<void> {
  const judged = judgeListed(listed, tool.pin)
  if (judged.finding !== 'as_reviewed') return close(hub, tool, judged)
  if (judged.found) await keepReviewed(hub, judged.found)
  const open = await findOpenReview(hub.db, tool)
  if (open?.finding === 'missing') await hub.db.transaction((tx) => endMissing(tx, tool, hub.system.now()))
}

/** Keeps the definition behind a pin that was written by hand, once: a later change can be shown beside it. */
async function keepReviewed(hub: Hub, { pin, definition }: Pinned): Promise<void> {
  if (await findDefinition(hub.db, pin)) return
  await hub.db.transaction((tx) => keepDefinition(tx, { pin, definition }, hub.system.now()))
}
