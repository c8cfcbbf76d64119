import { type Bounds, startDeadline, waitFor } from '../deadline.ts'
import type { McpConversation, ToolCall } from '../mcp/conversation.ts'
import { renderNotice } from '../mcp/json-rpc.ts'
import {
  callParams,
  INITIALIZE_PARAMS,
  MAX_SETUP_BYTES,
  requireToolResult,
  requireVersion,
} from '../mcp/mcp-client.ts'
import { type TellServer, TOOLS_CHANGED } from '../mcp/server-events.ts'
import { type KnownTools, knownTools, listingOf, showToVet } from '../mcp/tool-listing.ts'
import { failureOf, UpstreamFailure } from '../upstream-failure.ts'
import { type McpWire, mcpWire } from './mcp-wire.ts'
import type { SendPost, Side } from './posting.ts'
import { hearServer } from './server-stream.ts'

const SETUP_SECONDS = 30

/** A conversation with an MCP server over HTTP. */
export interface McpSession extends McpConversation {
  close(): Promise<void>
}

interface Greeted {
  readonly side: Side
  readonly tools: KnownTools
  /** Hears nothing more of the server. */
  hush(): void
}

/** Opens with the first call, and once more when the server no longer knows the session. */
export function mcpSession(post: SendPost, tell: TellServer): McpSession {
  const wire = mcpWire(post)
  let greeted: Promise<Greeted> | undefined
  let latest: Greeted | undefined
  const greeting = (): Promise<Greeted> => {
    if (greeted) return greeted
    const started = greet(wire, post, tell)
    greeted = started
    started.then(
      (session) => {
        latest = session
        tell('session_begun')
      },
      () => forget(started),
    )
    return started
  }
  const forget = (old: Promise<Greeted>) => {
    if (greeted === old) greeted = undefined
    void old.then((session) => session.hush()).catch(() => {})
  }
  const inSession = async <Result>(
    { deadline, progress }: Bounds,
    use: (session: Greeted) => Promise<Result>,
  ): Promise<Result> => {
    const current = greeting()
    const session = await waitFor(current, deadline, progress)
    try {
      return await use(session)
    } catch (error) {
      if (!(await isSessionLost(wire, session, { deadline, progress }, error))) throw error
      forget(current)
      const wasSent = progress.sent
      const again = waitFor(greeting(), deadline, progress).then(use)
      return await (wasSent ? again.catch(asSent) : again)
    }
  }
  return {
    call: (call) => inSession(call, (session) => attempt(wire, session, call)),
    list: (bounds, want) =>
      inSession(bounds, ({ tools }) => waitFor(listingOf(tools, want), bounds.deadline, bounds.progress)),
    async close() {
      // A greeting that still goes on is not waited for.
      if (greeted) forget(greeted)
      if (latest && hasSessionId(latest)) await wire.aside(undefined, latest.side.headers, 'DELETE')
    },
  }
}

/** The server says that it knows no such session, but it was handed the call: that counts, whatever comes next. */
function asSent(error: unknown): never {
  const { reason, status } = failureOf(error, true)
  throw new UpstreamFailure(reason, true, status)
}

async function greet(wire: McpWire, post: SendPost, tell: TellServer): Promise<Greeted> {
  const opened = await setup(wire, 'initialize', INITIALIZE_PARAMS, { headers: {}, onNotice() {} })
  const { result } = opened
  const headers: Record<string, string> = { 'mcp-protocol-version': requireVersion(result) }
  const session_id = opened.headers['mcp-session-id']
  if (typeof session_id === 'string') headers['mcp-session-id'] = session_id
  await wire.aside(renderNotice('notifications/initialized'), headers)
  const side: Side = {
    headers,
    onNotice({ method }) {
      if (method !== TOOLS_CHANGED) return
      tools.forget()
      tell('tools_changed')
    },
  }
  const tools = knownTools(async (method, params) => (await setup(wire, method, params, side)).result)
  const stream = tellsOfChanges(result) ? hearServer(post, side) : undefined
  return { side, tools, hush: () => stream?.close() }
}

/** Whether the server says of itself that it tells when its tools change. */
function tellsOfChanges(result: unknown): boolean {
  const { capabilities } = Object(result) as { capabilities?: { tools?: { listChanged?: unknown } } }
  return capabilities?.tools?.listChanged === true
}

async function setup(wire: McpWire, method: string, params: object, side: Side) {
  const deadline = startDeadline(SETUP_SECONDS, undefined)
  const bounds = { limit_bytes: MAX_SETUP_BYTES, deadline, progress: { sent: false } }
  return wire.request(method, params, bounds, side).catch((error: UpstreamFailure) => {
    // Greeting and listing are the hub's own business: the caller's request has not been sent by them.
    throw new UpstreamFailure(error.reason, false, error.status)
  })
}

async function attempt(wire: McpWire, { side, tools }: Greeted, call: ToolCall): Promise<object> {
  const { tool, payload, deadline, progress, vet, traceparent } = call
  const definitions = tools.find(tool) ?? (await waitFor(tools.require(tool), deadline, progress))
  showToVet(tools, definitions, vet)
  const params = callParams(tool, payload, traceparent)
  const { result } = await wire.request('tools/call', params, call, side)
  return requireToolResult(result)
}

/**
 * Whether a call failed because the server has forgotten the session, as after a restart. The protocol has
 * 404 for that, but the reference server and others say 400, which may as well be about the call itself:
 * then a ping in the same session tells the two apart.
 */
async function isSessionLost(
  wire: McpWire,
  session: Greeted,
  { deadline, progress }: Bounds,
  error: unknown,
): Promise<boolean> {
  const status = statusOf(error)
  if (!hasSessionId(session) || (status !== 404 && status !== 400)) return false
  if (status === 404) return true
  const asked = setup(wire, 'ping', {}, session.side).then(() => undefined, statusOf)
  const answered = await waitFor(asked, deadline, progress)
  return answered === 400 || answered === 404
}

function statusOf(error: unknown): number | undefined {
  return error instanceof UpstreamFailure && error.reason === 'http_status' ? error.status : undefined
}

function hasSessionId({ side }: Greeted): boolean {
  return side.headers['mcp-session-id'] !== undefined
}
