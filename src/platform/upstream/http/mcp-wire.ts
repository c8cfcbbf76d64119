import type { IncomingHttpHeaders } from 'node:http'
import { startDeadline } from '../deadline.ts'
import {
  findMessage,
  type Notice,
  type RpcMessage,
  renderNotice,
  renderReply,
  renderRequest,
} from '../mcp/json-rpc.ts'
import { tellProgress, withToken } from '../mcp/progress.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { eventReader, type StreamMark } from './event-stream.ts'
import type { Post, RequestBounds, SendPost, Side } from './posting.ts'
import { askResuming } from './resumed-answer.ts'

/** Frames and progress notes around an answer do not count against the answer's own limit. */
const FRAME_BYTES = 4096
/** Words that need no answer are not waited for longer than this. */
const ASIDE_SECONDS = 2
const MAX_REPLIES = 16

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
      const hear = (notice: Notice) => {
        if (!bounds.onProgress || !tellProgress(notice, id, bounds.onProgress)) side.onNotice(notice)
      }
      const inbox = openInbox(id, hear, (text) => aside(text, side.headers))
      const body = renderRequest(id, method, bounds.onProgress ? withToken(params, id) : params)
      const limit_bytes = bounds.limit_bytes + FRAME_BYTES
      const asked = {
        ...bounds,
        body,
        limit_bytes,
        headers: side.headers,
        method: 'POST',
        watch: inbox.watch,
      } as const
      const streamed = { mark: inbox.mark, isAnswered: () => inbox.answer() !== undefined }
      const reply = await askResuming(post, asked, streamed).catch((error: UpstreamFailure) => {
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
function openInbox(id: number, onNotice: Side['onNotice'], reply: (text: string) => unknown) {
  const mark: StreamMark = { id: undefined, retry_ms: undefined }
  let answer: RpcMessage | undefined
  let replies = 0
  const read = eventReader((data) => {
    const message = findMessage(data)
    if (message?.kind === 'notice') onNotice(message)
    else if (message?.kind === 'request') {
      if (replies++ < MAX_REPLIES) void reply(renderReply(message))
    } else if (message?.id === id) answer ??= message
  }, mark)
  return {
    answer: () => answer,
    mark,
    watch(text: string): boolean {
      read(text)
      return answer !== undefined
    },
  }
}
