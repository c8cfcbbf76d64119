import type { IncomingHttpHeaders } from 'node:http'
import { startDeadline } from '../deadline.ts'
import {
  findFaultCode,
  findMessage,
  type Notice,
  type RpcMessage,
  renderNotice,
  renderReply,
  renderRequest,
} from '../mcp/json-rpc.ts'
import { paramsFor } from '../mcp/mcp-client.ts'
import { tellProgress, withToken } from '../mcp/progress.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import { eventReader, type StreamMark } from './event-stream.ts'
import { headerValue } from './mirrored-params.ts'
import type { Post, RequestBounds, SendPost, Side } from './posting.ts'
import { askResuming } from './resumed-answer.ts'

/** Frames and progress notes around an answer do not count against the answer's own limit. */
const FRAME_BYTES = 4096
/** Of a refusal only its code is read. */
const REFUSAL_BYTES = 65_536
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
    mirrored?: Side['headers'],
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
    async request(method, plain, bounds, side, mirrored) {
      const id = next_id++
      const hear = (notice: Notice) => {
        if (!bounds.onProgress || !tellProgress(notice, id, bounds.onProgress)) side.onNotice(notice)
      }
      const inbox = openInbox(id, hear, (text) => aside(text, side.headers))
      const params = paramsFor(side.manner, plain)
      const body = renderRequest(id, method, bounds.onProgress ? withToken(params, id) : params)
      const limit_bytes = bounds.limit_bytes + FRAME_BYTES
      const asked = {
        ...bounds,
        body,
        limit_bytes,
        headers: headersOf(side, method, plain, mirrored),
        method: 'POST',
        refusal_bytes: REFUSAL_BYTES,
        watch: inbox.watch,
      } as const
      const streamed = { mark: inbox.mark, isAnswered: () => inbox.answer() !== undefined }
      const isGreeted = side.manner === 'greeted'
      const asking = isGreeted ? askResuming(post, asked, streamed) : post(asked)
      const reply = await asking.catch((error: UpstreamFailure) => {
        if (isGreeted && isGivenUp(error))
          void aside(renderNotice('notifications/cancelled', { requestId: id }), side.headers)
        throw error
      })
      const { sent } = bounds.progress
      if (reply.status >= 400)
        throw new UpstreamFailure('http_status', sent, reply.status, findFaultCode(reply.text))
      const answer = inbox.answer() ?? findMessage(reply.text)
      if (answer?.kind === 'fault') throw new UpstreamFailure('protocol', sent, undefined, answer.code)
      if (answer?.kind !== 'answer' || answer.id !== id) throw new UpstreamFailure('protocol', sent)
      return { result: answer.result, headers: reply.headers }
    },
  }
}

/** Who was not greeted is told by each request what it is about, so that those between need not read it. */
function headersOf({ headers, manner }: Side, method: string, params: object, mirrored: object = {}) {
  if (manner === 'greeted') return headers
  const { name } = params as { name?: unknown }
  const named = typeof name === 'string' && { 'mcp-name': headerValue(name) }
  return { ...headers, 'mcp-method': method, ...named, ...mirrored }
}

/** With a greeting, closing a connection does not cancel: the server has to be told. */
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
