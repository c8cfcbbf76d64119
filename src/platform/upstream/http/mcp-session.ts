import { startDeadline, waitFor } from '../deadline.ts'
import { renderNotice } from '../json-rpc.ts'
import {
  INITIALIZE_PARAMS,
  MAX_SETUP_BYTES,
  requireToolResult,
  requireVersion,
  type ToolList,
  toolList,
} from '../mcp-client.ts'
import { failureOf, UpstreamFailure } from '../upstream-failure.ts'
import { type Bounds, type McpWire, mcpWire, type SendPost, type Side } from './mcp-wire.ts'

const SETUP_SECONDS = 30

export interface McpCall extends Bounds {
  readonly tool: string
  readonly payload: Record<string, unknown>
}

/** A conversation with an MCP server over HTTP. */
export interface McpSession {
  call(call: McpCall): Promise<object>
  close(): Promise<void>
}

interface Greeted {
  readonly side: Side
  readonly tools: ToolList
}

/** Opens with the first call, and once more when the server no longer knows the session. */
export function mcpSession(post: SendPost): McpSession {
  const wire = mcpWire(post)
  let greeted: Promise<Greeted> | undefined
  let latest: Greeted | undefined
  const greeting = (): Promise<Greeted> => {
    if (greeted) return greeted
    const started = greet(wire)
    greeted = started
    started.then(
      (session) => (latest = session),
      () => forget(started),
    )
    return started
  }
  const forget = (old: Promise<Greeted>) => {
    if (greeted === old) greeted = undefined
  }
  const askAgain = async (call: McpCall) =>
    attempt(wire, await waitFor(greeting(), call.deadline, call.progress), call)
  return {
    async call(call) {
      const current = greeting()
      const session = await waitFor(current, call.deadline, call.progress)
      try {
        return await attempt(wire, session, call)
      } catch (error) {
        if (!(await isSessionLost(wire, session, call, error))) throw error
        forget(current)
        return await askAgain(call).catch(asSent)
      }
    },
    async close() {
      // A greeting that still goes on is not waited for.
      if (latest && hasSessionId(latest)) await wire.aside(undefined, latest.side.headers, 'DELETE')
    },
  }
}

/** The server says that it knows no such session, but it was handed the call: that counts, whatever comes next. */
function asSent(error: unknown): never {
  const { reason, status } = failureOf(error, true)
  throw new UpstreamFailure(reason, true, status)
}

async function greet(wire: McpWire): Promise<Greeted> {
  const opened = await setup(wire, 'initialize', INITIALIZE_PARAMS, { headers: {}, onNotice() {} })
  const headers: Record<string, string> = { 'mcp-protocol-version': requireVersion(opened.result) }
  const session_id = opened.headers['mcp-session-id']
  if (typeof session_id === 'string') headers['mcp-session-id'] = session_id
  await wire.aside(renderNotice('notifications/initialized'), headers)
  const side: Side = {
    headers,
    onNotice: (method) => method === 'notifications/tools/list_changed' && tools.forget(),
  }
  const tools = toolList(async (method, params) => (await setup(wire, method, params, side)).result)
  return { side, tools }
}

async function setup(wire: McpWire, method: string, params: object, side: Side) {
  const deadline = startDeadline(SETUP_SECONDS, undefined)
  const bounds = { limit_bytes: MAX_SETUP_BYTES, deadline, progress: { sent: false } }
  return wire.request(method, params, bounds, side).catch((error: UpstreamFailure) => {
    // Greeting and listing are the hub's own business: the caller's request has not been sent by them.
    throw new UpstreamFailure(error.reason, false, error.status)
  })
}

async function attempt(wire: McpWire, { side, tools }: Greeted, call: McpCall): Promise<object> {
  const { tool, payload, deadline, progress } = call
  if (!tools.has(tool)) await waitFor(tools.check(tool), deadline, progress)
  const params = { name: tool, arguments: payload }
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
  call: McpCall,
  error: unknown,
): Promise<boolean> {
  const status = statusOf(error)
  if (!hasSessionId(session) || (status !== 404 && status !== 400)) return false
  if (status === 404) return true
  const asked = setup(wire, 'ping', {}, session.side).then(() => undefined, statusOf)
  const answered = await waitFor(asked, call.deadline, call.progress)
  return answered === 400 || answered === 404
}

function statusOf(error: unknown): number | undefined {
  return error instanceof UpstreamFailure && error.reason === 'http_status' ? error.status : undefined
}

function hasSessionId({ side }: Greeted): boolean {
  return side.headers['mcp-session-id'] !== undefined
}
