import { type Bounds, waitFor } from '../deadline.ts'
import { askUntilWhole } from '../mcp/asking-back.ts'
import type { McpConversation, ToolCall } from '../mcp/conversation.ts'
import { callParams, HEADERS_DIFFER, requireToolResult, VERSION_NOT_SPOKEN } from '../mcp/mcp-client.ts'
import type { TellServer } from '../mcp/server-events.ts'
import { listingOf, showToVet } from '../mcp/tool-listing.ts'
import { failureOf, UpstreamFailure } from '../upstream-failure.ts'
import { askSetup, greetServer, type KnownServer } from './greet-server.ts'
import { type McpWire, mcpWire } from './mcp-wire.ts'
import type { SendPost, Side } from './posting.ts'

/** A conversation with an MCP server over HTTP. */
export interface McpSession extends McpConversation {
  close(): Promise<void>
}

/** Opens with the first call, and once more when the server no longer knows the session. */
export function mcpSession(post: SendPost, tell: TellServer): McpSession {
  const wire = mcpWire(post)
  let greeted: Promise<KnownServer> | undefined
  let latest: KnownServer | undefined
  const greeting = (): Promise<KnownServer> => {
    if (greeted) return greeted
    const started = greetServer(wire, post, tell)
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
  const forget = (old: Promise<KnownServer>) => {
    if (greeted === old) greeted = undefined
    void old.then((session) => session.hush()).catch(() => {})
  }
  const inSession = async <Result>(
    { deadline, progress }: Bounds,
    use: (session: KnownServer) => Promise<Result>,
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

async function attempt(wire: McpWire, session: KnownServer, call: ToolCall): Promise<object> {
  try {
    return await callTool(wire, session, call)
  } catch (error) {
    // What is to go into headers was another parameter in the list that we know. Nothing was done yet.
    if (!(error instanceof UpstreamFailure) || error.fault_code !== HEADERS_DIFFER) throw error
    session.tools.forget()
    return await callTool(wire, session, call)
  }
}

async function callTool(
  wire: McpWire,
  { side, tools, mirrors }: KnownServer,
  call: ToolCall,
): Promise<object> {
  const { tool, payload, deadline, progress, vet, traceparent } = call
  const definitions = tools.find(tool) ?? (await waitFor(tools.require(tool), deadline, progress))
  showToVet(tools, definitions, vet)
  const params = callParams(tool, payload, traceparent)
  if (side.manner === 'greeted')
    return requireToolResult((await wire.request('tools/call', params, call, side)).result)
  const mirrored = mirrors.headersFor(definitions[0], payload)
  const ask = async (asked: object) => (await wire.request('tools/call', asked, call, side, mirrored)).result
  return requireToolResult(await askUntilWhole(ask, params))
}

/**
 * Whether a call failed because the server has forgotten the session, as after a restart, or is to be spoken to in another
 * manner now. The protocol has 404 for the first, but the reference server and others say 400, which may as well be about
 * the call itself: then a plain question tells the two apart.
 */
async function isSessionLost(
  wire: McpWire,
  session: KnownServer,
  { deadline, progress }: Bounds,
  error: unknown,
): Promise<boolean> {
  const { side } = session
  const isUngreeted = side.manner === 'ungreeted'
  if (error instanceof UpstreamFailure && isOtherManner(error, side)) return true
  const status = statusOf(error)
  if (!(isUngreeted || hasSessionId(session)) || (status !== 404 && status !== 400)) return false
  if (status === 404 && !isUngreeted) return true
  const asked = askSetup(wire, isUngreeted ? 'server/discover' : 'ping', {}, side).then(
    () => undefined,
    statusOf,
  )
  const answered = await waitFor(asked, deadline, progress)
  return answered === 400 || answered === 404
}

/** Whether the refusal itself says that the server speaks another version now. */
function isOtherManner({ fault_code }: UpstreamFailure, { manner }: Side): boolean {
  return fault_code === VERSION_NOT_SPOKEN || (manner === 'greeted' && fault_code === HEADERS_DIFFER)
}

function statusOf(error: unknown): number | undefined {
  return error instanceof UpstreamFailure && error.reason === 'http_status' ? error.status : undefined
}

function hasSessionId({ side }: KnownServer): boolean {
  return side.headers['mcp-session-id'] !== undefined
}
