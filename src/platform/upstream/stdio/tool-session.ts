import { type Bounds, startDeadline, waitFor } from '../deadline.ts'
import { askUntilWhole } from '../mcp/asking-back.ts'
import type { McpConversation, ToolCall } from '../mcp/conversation.ts'
import {
  type Ask,
  callParams,
  MAX_SETUP_BYTES,
  type Manner,
  paramsFor,
  requireToolResult,
} from '../mcp/mcp-client.ts'
import { type TellServer, TOOLS_CHANGED } from '../mcp/server-events.ts'
import { type KnownTools, knownTools, listingOf, showToVet } from '../mcp/tool-listing.ts'
import { UpstreamFailure, type UpstreamReason } from '../upstream-failure.ts'
import { greetChild } from './greet-child.ts'
import { type RpcLink, rpcLink } from './rpc-link.ts'
import type { ToolChild } from './tool-child.ts'

/** A running tool server that has been greeted. */
export interface ToolSession extends McpConversation {
  /** True from the moment it can take no more calls. */
  readonly over: boolean
  /** True once it has answered a call. */
  readonly proven: boolean
  /** True where it went away over the question how it wants to be spoken to: its successor is greeted at once. */
  readonly wanted_greeting: boolean
  /** Settles when the child is gone. */
  readonly gone: Promise<void>
  end(reason: UpstreamReason): Promise<void>
}

export interface SessionLimits {
  readonly start_seconds: number
  /** A child that says nothing for so long to a question of 2026-07-28 is greeted as those before it. */
  readonly question_ms: number
  readonly grace_ms: number
  /** A child that answered no call in time and then says nothing for so long is started anew. */
  readonly silence_ms: number
}

/** Greets a child and carries calls to it. Greeting goes on by itself when its first caller gives up. */
export function openSession(
  child: ToolChild,
  limits: SessionLimits,
  tell: TellServer,
  wants_greeting = false,
): ToolSession {
  const state = { over: undefined as UpstreamReason | undefined, proven: false }
  const finish = (reason: UpstreamReason): void => {
    if (state.over) return
    state.over = reason
    link.fail(reason)
  }
  const end = (reason: UpstreamReason) => {
    finish(reason)
    return child.end(limits.grace_ms)
  }
  const link = linkTo(child, limits, {
    onChanged: () => (tools.forget(), tell('tools_changed')),
    onBroken: (reason) => void end(reason),
  })
  const ask = setupAsker(link, limits)
  const tools = knownTools((method, params) => ask(method, paramsFor(manner ?? 'greeted', params)))
  const lost = watchPipes(child, link, end)
  const gone = child.gone.then(() => finish(lost))

  let manner: Manner | undefined
  const greeting = { link, ask, patience_ms: limits.question_ms }
  const ready = greetChild(greeting, wants_greeting).then((found) => {
    manner = found
    tell('session_begun')
  })
  ready.catch((error: UpstreamFailure) => end(error.reason))

  const requireReady = async ({ deadline, progress }: Bounds) => {
    if (state.over) throw new UpstreamFailure('crashed', false)
    if (!manner) await waitFor(ready, deadline, progress)
    return manner ?? 'greeted'
  }
  return {
    gone,
    end,
    async call(call) {
      const spoken = await requireReady(call)
      const result = await callTool({ link, tools, manner: spoken, isOver: () => Boolean(state.over) }, call)
      state.proven = true
      return result
    },
    async list(bounds, want) {
      await requireReady(bounds)
      return waitFor(listingOf(tools, want), bounds.deadline, bounds.progress)
    },
    get over() {
      return state.over !== undefined
    },
    get proven() {
      return state.proven
    },
    get wanted_greeting() {
      return state.over === 'crashed' && !manner && !wants_greeting
    },
  }
}

interface LinkEnds {
  onChanged(): void
  onBroken(reason: UpstreamReason): void
}

function linkTo({ stdin }: ToolChild, limits: SessionLimits, { onChanged, onBroken }: LinkEnds): RpcLink {
  return rpcLink({
    write: (text) => void stdin.write(text),
    backlog_bytes: () => stdin.writableLength,
    onNotice: ({ method }) => method === TOOLS_CHANGED && onChanged(),
    onBroken,
    silence_ms: limits.silence_ms,
  })
}

/** A server that closed either pipe cannot be talked to, even if its process lives on. Answers what it is then. */
function watchPipes(
  { stdin, stdout, started }: ToolChild,
  { receive }: RpcLink,
  end: (reason: UpstreamReason) => unknown,
): UpstreamReason {
  const lost = started ? 'crashed' : 'unreachable'
  stdout.on('data', receive)
  stdin.on('error', () => void end(lost))
  stdout.on('end', () => void end(lost))
  return lost
}

interface Spoken {
  readonly link: RpcLink
  readonly tools: KnownTools
  readonly manner: Manner
  isOver(): boolean
}

async function callTool(
  { link, tools, manner, isOver }: Spoken,
  { tool, payload, vet, traceparent, ...bounds }: ToolCall,
): Promise<object> {
  const { deadline, progress } = bounds
  const definitions = tools.find(tool) ?? (await waitFor(tools.require(tool), deadline, progress))
  if (isOver()) throw new UpstreamFailure('crashed', false)
  showToVet(tools, definitions, vet)
  const params = callParams(tool, payload, traceparent)
  const ask = (asked: object) =>
    link.request({ method: 'tools/call', params: paramsFor(manner, asked), ...bounds })
  return requireToolResult(await (manner === 'greeted' ? ask(params) : askUntilWhole(ask, params)))
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
