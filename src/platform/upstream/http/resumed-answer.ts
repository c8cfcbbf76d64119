import type { Bounds } from '../deadline.ts'
import { waitFor } from '../deadline.ts'
import { UpstreamFailure } from '../upstream-failure.ts'
import type { StreamMark } from './event-stream.ts'
import type { WebReply } from './exchange.ts'
import type { Post, SendPost } from './posting.ts'
import { mediaType } from './response-body.ts'

const REST_MS = 1_000
const MIN_REST_MS = 20
const MAX_REST_MS = 30_000
const MAX_RESUMES = 100

/** An answer that comes as a stream of events. */
interface Streamed {
  readonly mark: StreamMark
  isAnswered(): boolean
}

/**
 * Sends a request and takes its stream up again where it breaks off before the answer, if its server has said from where.
 * The request itself is never sent again: it may have been carried out.
 */
export async function askResuming(post: SendPost, asked: Post, streamed: Streamed): Promise<WebReply> {
  const { mark } = streamed
  let reply = await untilBroken(post, asked, mark)
  for (let nth = 0; isBroken(reply, streamed); nth++) {
    if (nth >= MAX_RESUMES) throw new UpstreamFailure('unreachable', true)
    const ms = Math.min(Math.max(mark.retry_ms ?? REST_MS, MIN_REST_MS), MAX_REST_MS)
    await rest(ms, asked)
    const headers = { ...asked.headers, 'last-event-id': mark.id as string }
    reply = await untilBroken(post, { ...asked, method: 'GET', body: undefined, headers }, mark)
    // What the server says to this is not about the request: that it does not know the stream, say.
    if (reply && reply.status >= 400) throw new UpstreamFailure('unreachable', true)
  }
  return reply as WebReply
}

/** Undefined where the connection was lost on the way, and the stream can be taken up again. */
async function untilBroken(post: SendPost, asked: Post, mark: StreamMark): Promise<WebReply | undefined> {
  try {
    return await post(asked)
  } catch (error) {
    const isCut = error instanceof UpstreamFailure && error.reason === 'unreachable' && error.sent
    if (isCut && mark.id !== undefined) return undefined
    throw error
  }
}

function isBroken(reply: WebReply | undefined, { mark, isAnswered }: Streamed): boolean {
  if (isAnswered() || mark.id === undefined) return false
  return !reply || (reply.status < 400 && mediaType(reply.headers) === 'text/event-stream')
}

function rest(ms: number, { deadline, progress }: Bounds): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, ms)
  return waitFor(promise, deadline, progress).finally(() => clearTimeout(timer))
}
