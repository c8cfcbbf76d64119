import { type Bounds, startDeadline, waitFor } from '../deadline.ts'
import type { McpConversation, ToolCall } from '../mcp/conversation.ts'
import {
  type Ask,
  callParams,
  INITIALIZE_PARAMS,
  MAX_SETUP_BYTES,
  requireToolResult,
  requireVersion,
} from '../mcp/mcp-client.ts'
import { type TellServer, TOOLS_CHANGED } from '../mcp/server-events.ts'
import { type KnownTools, knownTools, listingOf, showToVet } from '../mcp/tool-listing.ts'
import { UpstreamFailure, type UpstreamReason } from '../upstream-failure.ts'
import { type RpcLink, rpcLink } from './rpc-link.ts'
import type { ToolChild } from './tool-child.ts'

/** A running tool server that has been greeted. */
export interface ToolSession extends McpConversation {
  /** True from the moment it can take no more calls. */
  readonly over: boolean
  /** True once it has answered a call. */
  readonly proven: boolean
  /** Settles when the child is gone. */
  readonly gone: Promise<void>
  end(reason: UpstreamReason): Promise<void>
}

export interface SessionLimits {
  readonly start_seconds: number
  readonly grace_ms: number
  /** A child that answered no call in time and then says nothing for so long is started anew. */
  readonly silence_ms: number
}

/** Greets a child and carries calls to it. Greeting goes on by itself when its first caller gives up. */
export function openSession(child: ToolChild, limits: SessionLimits, tell: TellServer): ToolSession {
  const state = { over: false, proven: false }
  const finish = (reason: UpstreamReason): void => {
    if (state.over) return
    state.over = true
    link.fail(reason)
  }
  const end = (reason: UpstreamReason) => {
    finish(reason)
    return child.end(limits.grace_ms)
  }
  const link = rpcLink({
    write: (text) => void child.stdin.write(text),
    backlog_bytes: () => child.stdin.writableLength,
    onNotice({ method }) {
      if (method !== TOOLS_CHANGED) return
      tools.forget()
      tell('tools_changed')
    },
    onBroken: (reason) => void end(reason),
    silence_ms: limits.silence_ms,
  })
  const ask = setupAsker(link, limits)
  const tools = knownTools(ask)
  child.stdout.on('data', link.receive)
  // A server that closed either pipe cannot be talked to, even if its process lives on.
  const lost = child.started ? 'crashed' : 'unreachable'
  child.stdin.on('error', () => void end(lost))
  child.stdout.on('end', () => void end(lost))
  const gone = child.gone.then(() => finish(lost))

  let is_ready = false
  const ready = greet(link, ask).then(() => {
    is_ready = true
    tell('session_begun')
  })
  ready.catch((error: UpstreamFailure) => end(error.reason))

  const requireReady = async ({ deadline, progress }: Bounds) => {
    if (state.over) throw new UpstreamFailure('crashed', false)
    if (!is_ready) await waitFor(ready, deadline, progress)
  }
  return {
    gone,
    end,
    async call(call) {
      await requireReady(call)
      const result = await callTool(link, tools, call, () => state.over)
      state.proven = true
      return result
    },
    async list(bounds, want) {
      await requireReady(bounds)
      return waitFor(listingOf(tools, want), bounds.deadline, bounds.progress)
    },
    get over() {
      return state.over
    },
    get proven() {
      return state.proven
    },
  }
}

async function callTool(
  link: RpcLink,
  tools: KnownTools,
  { tool, payload, vet, traceparent, ...bounds }: ToolCall,
  isOver: () => boolean,
): Promise<object> {
  const { deadline, progress } = bounds
  const definitions = tools.find(tool) ?? (await waitFor(tools.require(tool), deadline, progress))
  if (isOver()) throw new UpstreamFailure('crashed', false)
  showToVet(tools, definitions, vet)
  const params = callParams(tool, payload, traceparent)
  return requireToolResult(await link.request({ method: 'tools/call', params, ...bounds }))
}

function setupAsker(link: RpcLink, limits: SessionLimits): Ask {
  return async (method, params) => {
    const deadline = startDeadline(limits.start_seconds, undefined)
    const asked = { method, params, limit_bytes: MAX_SETUP_BYTES, deadline, progress: { sent: false } }
    try {
      return await link.request(asked)
    } catch (error) {
      // Greeting and listing are the hub's own business: the caller's request has not been sent by them.
      throw new UpstreamFailure((error as UpstreamFailure).reason, false)
    }
  }
}

async function greet(link: RpcLink, ask: Ask): Promise<void> {
  requireVersion(await ask('initialize', INITIALIZE_PARAMS))
  link.notify('notifications/initialized')
}
