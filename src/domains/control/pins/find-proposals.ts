import type { Context, Effect } from '../../../operations/define-operation.ts'
import {
  type ListedEntry,
  MAX_PROPOSED,
  type Proposal,
  proposalDigest,
  proposeTools,
} from '../../../platform/pins/propose-tools.ts'
import type { VaultPolicy } from '../../../platform/policy/vault-policy.ts'
import { type McpServer, serverId } from '../../../platform/upstream/mcp/server-events.ts'
import type { ToolListing } from '../../../platform/upstream/mcp/tool-listing.ts'
import { UpstreamFailure } from '../../../platform/upstream/upstream-failure.ts'

type Code = 'unknown_provider' | 'provider_failed' | 'provider_listing_refused'
type Asking = Pick<
  Context<{ provider: string; prefix?: string | undefined }, Code, Effect>,
  'input' | 'hub' | 'rules' | 'refuse' | 'signal'
>

export interface Proposed {
  readonly proposals: readonly Proposal[]
  /** How many things it lists that have no usable name. */
  readonly unusable: number
  readonly digest: string
  /** Tools of the policy that the server does not list. */
  readonly missing: readonly ListedEntry[]
}

/** What a named server of the policy lists now, each tool as it would stand in the policy. */
export async function findProposals(context: Asking): Promise<Proposed> {
  const { input, rules, refuse } = context
  const policy = rules.policy.value
  const server = findServer(policy, input.provider)
  if (!server) return refuse('unknown_provider')
  const listing = await requireListing(context, server)
  const entries = entriesOf(policy, server)
  const proposals = await proposeTools(listing, entries, input.prefix ?? '')
  const listed = new Set(proposals.map(({ tool }) => tool))
  const missing = entries.filter(({ tool }) => tool !== undefined && !listed.has(tool))
  const digest = proposalDigest(input.provider, proposals)
  return { proposals, unusable: listing.unusable, digest, missing }
}

function findServer({ external_agent }: VaultPolicy, name: string): McpServer | undefined {
  const providers = external_agent?.providers ?? {}
  const found = Object.hasOwn(providers, name) ? providers[name] : undefined
  return found?.kind === 'mcp' ? found : undefined
}

function entriesOf({ external_agent }: VaultPolicy, server: McpServer): ListedEntry[] {
  const server_id = serverId(server)
  return (external_agent?.allowed_tools ?? []).map(({ id, pin, provider }) => ({
    id,
    pin,
    tool: provider?.kind === 'mcp' && serverId(provider) === server_id ? provider.tool : undefined,
  }))
}

async function requireListing({ hub, refuse, signal }: Asking, server: McpServer): Promise<ToolListing> {
  const listing = await hub.upstreams.listTools(server, { signal }).catch((error: unknown) => {
    if (!(error instanceof UpstreamFailure)) throw error
    return refuse('provider_failed', error.message)
  })
  if (listing.is_cut || listing.tools.length > MAX_PROPOSED) return refuse('provider_listing_refused')
  return listing
}
