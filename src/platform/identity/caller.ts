export const ROLES = ['viewer', 'editor', 'evaluator', 'admin'] as const
export type Role = (typeof ROLES)[number]

/** How a caller proved who it is. `local` is a person or program that can open the home's files itself. */
export const CALLER_KINDS = [
  'anonymous',
  'hub',
  'token',
  'gateway',
  'local',
  'toolbox',
  'owner_session',
  'owner_agent',
  'mcp_client',
] as const
export type CallerKind = (typeof CALLER_KINDS)[number]

/** Who is calling, as far as it was proven. Built by the surfaces' authentication, never from an input. */
export interface Caller {
  readonly kind: CallerKind
  /** The credential's or user's id: fit for the audit log, useless as a secret. */
  readonly id: string
  readonly role: Role
  /** The vaults the credential opens. */
  readonly vaults: readonly string[] | '*'
  /** The kind of program that calls, of a fixed list. */
  readonly client: string
  /** Where an agent of the toolbox works. Only callers of that kind have one, and they have nothing else. */
  readonly seat?: ToolboxSeat
  /** What the owner's consent gives an MCP client beside its role: nothing, or a grant alone. */
  readonly consented?: { readonly grant_id: string; readonly bounds?: ConsentBounds | undefined } | undefined
  /** Which program an owner agent is. Only callers of that kind have one. */
  readonly agent?: OwnerAgentClient
}

/** What the owner bounds the calls under a consent by, beside the policy's own bounds. */
export interface ConsentBounds {
  readonly calls_per_minute?: number | undefined
  readonly max_payload_bytes?: number | undefined
  readonly max_result_bytes?: number | undefined
}

/** The program that the owner approved, as it named itself then. */
export interface OwnerAgentClient {
  readonly client_id: string
  readonly client_name: string
}

/** The place an engine gives an agent: one service, in one role. No call of the agent's can change it. */
export interface ToolboxSeat {
  readonly project_root: string
  readonly service_root: string
  readonly role: string
  readonly agent_id: string
  readonly isolation_level?: string
  readonly allowed_commands?: readonly string[]
  readonly access_token?: string
}

/** An agent at its seat. It is no member of the vault: only tools are open to it. */
export function toolboxCaller(id: string, vault_id: string, seat: ToolboxSeat, client: string): Caller {
  return { kind: 'toolbox', id, role: 'viewer', vaults: [vault_id], client, seat }
}

/** The owner, signed in with a browser. */
export function ownerSessionCaller(session_id: string, client: string): Caller {
  return { kind: 'owner_session', id: session_id, role: 'admin', vaults: '*', client }
}

/** An agent the owner trusts with the owner's surface. It is no member of any vault, and no MCP client. */
export function ownerAgentCaller(id: string, agent: OwnerAgentClient, client: string): Caller {
  return { kind: 'owner_agent', id, role: 'viewer', vaults: '*', client, agent }
}

/** A program that signed in for MCP: a member of one vault there, or the holder of one grant, and nothing elsewhere. */
export function mcpClientCaller(
  { consent_id, kind, role, vault_id, grant_id, terms }: ConsentedClient,
  client: string,
): Caller {
  // A grant that is missing is an empty one: it never makes the client a member.
  const consented = kind === 'grant' ? { grant_id: grant_id ?? '', bounds: terms?.bounds } : undefined
  return { kind: 'mcp_client', id: consent_id, role, vaults: [vault_id], client, consented }
}

interface ConsentedClient {
  readonly consent_id: string
  readonly kind: 'membership' | 'grant'
  readonly role: Role
  readonly vault_id: string
  readonly grant_id: string | null
  readonly terms?: { readonly bounds?: ConsentBounds | undefined } | undefined
}

/** A caller nobody vouches for. */
export function anonymous(client: string): Caller {
  return { kind: 'anonymous', id: '-', role: 'viewer', vaults: [], client }
}

/** Whoever may open the home's database may also do so through our command line. */
export function localCaller(client: string): Caller {
  return { kind: 'local', id: 'local', role: 'admin', vaults: '*', client }
}

/** By what a caller's calls are counted. */
export function rateKey({ kind, id }: Pick<Caller, 'kind' | 'id'>): string {
  return `${kind}|${id}`
}
