import { startDeadline } from '../deadline.ts'
import { renderNotice } from '../mcp/json-rpc.ts'
import {
  canGoUngreeted,
  INITIALIZE_PARAMS,
  MAX_SETUP_BYTES,
  requireVersion,
  tellsOfChanges,
  UNGREETED_VERSION,
  VERSION_NOT_SPOKEN,
} from '../mcp/mcp-client.ts'
import { type TellServer, TOOLS_CHANGED } from '../mcp/server-events.ts'
import { type KnownTools, knownTools, type ListedTool } from '../mcp/tool-listing.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import type { McpWire } from './mcp-wire.ts'
import { type Mirrors, openMirrors } from './mirrored-params.ts'
import type { SendPost, Side } from './posting.ts'
import { hearServer } from './server-stream.ts'

const SETUP_SECONDS = 30

/** A server that is known by now, and how it is spoken to. */
export interface KnownServer {
  readonly side: Side
  readonly tools: KnownTools
  readonly mirrors: Mirrors
  /** Hears nothing more of the server. */
  hush(): void
}

const UNGREETED: Side = {
  headers: { 'mcp-protocol-version': UNGREETED_VERSION },
  manner: 'ungreeted',
  onNotice() {},
}

/** Finds out how a server is to be spoken to, and greets it where it wants that. */
export async function greetServer(wire: McpWire, post: SendPost, tell: TellServer): Promise<KnownServer> {
  const discovered = await discover(wire)
  return discovered
    ? openKnown(wire, post, tell, discovered, UNGREETED)
    : sayHello(wire, (itself, side) => openKnown(wire, post, tell, itself, side))
}

/** The server's account of itself, where it can be asked without a greeting. */
async function discover(wire: McpWire): Promise<object | undefined> {
  const ask = () => askSetup(wire, 'server/discover', {}, UNGREETED)
  try {
    const { result } = await ask().catch((error: UpstreamFailure) => {
      if (error.fault_code !== VERSION_NOT_SPOKEN) throw error
      return ask()
    })
    return canGoUngreeted(result) ? (result as object) : undefined
  } catch (error) {
    if (error instanceof UpstreamFailure && isUnknownThere(error)) return undefined
    throw error
  }
}

/** Servers from before say in many ways that they know no such question. */
function isUnknownThere({ reason, status = 0 }: UpstreamFailure): boolean {
  if (reason === 'protocol') return true
  return reason === 'http_status' && status <= 501 && ![401, 403, 407, 408, 429].includes(status)
}

async function sayHello(
  wire: McpWire,
  open: (itself: unknown, side: Omit<Side, 'onNotice'>) => KnownServer,
): Promise<KnownServer> {
  const side = { headers: {}, manner: 'greeted', onNotice() {} } as const
  const opened = await askSetup(wire, 'initialize', INITIALIZE_PARAMS, side)
  const { result } = opened
  const headers: Record<string, string> = { 'mcp-protocol-version': requireVersion(result) }
  const session_id = opened.headers['mcp-session-id']
  if (typeof session_id === 'string') headers['mcp-session-id'] = session_id
  await wire.aside(renderNotice('notifications/initialized'), headers)
  return open(result, { headers, manner: 'greeted' })
}

function openKnown(
  wire: McpWire,
  post: SendPost,
  tell: TellServer,
  itself: unknown,
  { headers, manner }: Omit<Side, 'onNotice'>,
): KnownServer {
  const side: Side = {
    headers,
    manner,
    onNotice({ method }) {
      if (method !== TOOLS_CHANGED) return
      tools.forget()
      tell('tools_changed')
    },
  }
  const mirrors = openMirrors()
  const isSound = (tool: ListedTool) => manner === 'greeted' || mirrors.isSound(tool)
  const tools = knownTools(
    async (method, params) => (await askSetup(wire, method, params, side)).result,
    isSound,
  )
  const stream = tellsOfChanges(itself) ? hearServer(post, side) : undefined
  return { side, tools, mirrors, hush: () => stream?.close() }
}

/** Asks something of the hub's own. */
export async function askSetup(wire: McpWire, method: string, params: object, side: Side) {
  const deadline = startDeadline(SETUP_SECONDS, undefined)
  const bounds = { limit_bytes: MAX_SETUP_BYTES, deadline, progress: { sent: false } }
  return wire.request(method, params, bounds, side).catch((error: UpstreamFailure) => {
    // Greeting and listing are the hub's own business: the caller's request has not been sent by them.
    throw new UpstreamFailure(error.reason, false, error.status, error.fault_code)
  })
}
