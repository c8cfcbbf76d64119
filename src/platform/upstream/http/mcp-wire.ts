import type { IncomingHttpHeaders } from 'node:http'
import { type Bounds, startDeadline } from '../deadline.ts'
import { findMessage, type RpcMessage, renderNotice, renderReply, renderRequest } from '../mcp/json-rpc.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { eventReader } from './event-stream.ts'
import type { WebReply } from './exchange.ts'

/** Frames and progress notes around an answer do not count against the answer's own limit. */
const FRAME_BYTES = 4096
/** Words that need no answer are not waited for longer than this. */
const ASIDE_SECONDS = 2
const MAX_REPLIES = 16

export interface RequestBounds extends Bounds {
  readonly limit_bytes: number
}

export interface Post extends RequestBounds {
  readonly body: string | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly method: 'POST' | 'DELETE'
  watch?: (text: string) => boolean
}
export type SendPost = (post: Post) => Promise<WebReply>

/** What goes with each request of a session, and who hears what the server says unasked. */
export interface Side {
  readonly headers: Readonly<Record<string, string>>
  onNotice(method: string): void
}

/** JSON-RPC as MCP carries it over HTTP. */
export interface McpWire {
  request(
    method: string,
    params: object,
    bounds: RequestBounds,
    side: Side,
  ): Promise<{ result: unknown; headers: IncomingHttpHeaders }>
  /** Says something that has no answer; it may be lost. */
  aside(body: string | undefined, headers: Side['headers'], method?: Post['method']): Promise<void>
}

export function mcpWire(post: SendPost): McpWire {
  let next_id = 1
  const aside: McpWire['aside'] = async (body, headers, method = 'POST') => {
    const deadline = startDeadline(ASIDE_SECONDS, undefined)
    const progress = { sent: false }
    await post({ body, headers, method, limit_bytes: FRAME_BYTES, deadline, progress }).catch(() => {})
  }
  return {
    aside,
    async request(method, params, bounds, side) {
      const id = next_id++
      const inbox = openInbox(id, side.onNotice, (text) => aside(text, side.headers))
      const body = renderRequest(id, method, params)
      const limit_bytes = bounds.limit_bytes + FRAME_BYTES
      const asked = {
        ...bounds,
        body,
        limit_bytes,
        headers: side.headers,
        method: 'POST',
        watch: inbox.watch,
      } as const
      const reply = await post(asked).catch((error: UpstreamFailure) => {
        if (isGivenUp(error))
          void aside(renderNotice('notifications/cancelled', { requestId: id }), side.headers)
        throw error
      })
      if (reply.status >= 400) throw new UpstreamFailure('http_status', bounds.progress.sent, reply.status)
      const answer = inbox.answer() ?? findMessage(reply.text)
      if (answer?.kind !== 'answer' || answer.id !== id) {
        throw new UpstreamFailure('protocol', bounds.progress.sent)
      }
      return { result: answer.result, headers: reply.headers }
    },
  }
}

/** Closing a connection does not cancel in this protocol: the server has to be told. */
function isGivenUp(error: UpstreamFailure): boolean {
  return error.sent && (error.reason === 'timeout' || error.reason === 'cancelled')
}

/** Sorts what an event stream brings: the answer is kept, notices are told, requests are declined. */
function openInbox(id: number, onNotice: (method: string) => void, reply: (text: string) => unknown) {
  let answer: RpcMessage | undefined
  let replies = 0
  const read = eventReader((data) => {
    const message = findMessage(data)
    if (message?.kind === 'notice') onNotice(message.method)
    else if (message?.kind === 'request') {
      if (replies++ < MAX_REPLIES) void reply(renderReply(message))
    } else if (message?.id === id) answer ??= message
  })
  return {
    answer: () => answer,
    watch(text: string): boolean {
      read(text)
      return answer !== undefined
    },
  }
}
