import { setTimeout as pause } from 'node:timers/promises'
import { findMessage, renderRequest } from '../mcp/json-rpc.ts'
import { LISTEN, paramsFor } from '../mcp/mcp-client.ts'
import { TOOLS_CHANGED } from '../mcp/server-events.ts'
import { failureOf } from '../upstream-failure.ts'
import { eventReader, type StreamMark } from './event-stream.ts'
import type { Post, SendPost, Side } from './posting.ts'
import { mediaType } from './response-body.ts'

const REST_MS = 1_000
const MAX_REST_MS = 60_000
/** After so much, and after so long, a stream is begun anew: its server may as well be noise. */
const MAX_STREAM_BYTES = 16_777_216
const MAX_STREAM_MS = 86_400_000

/**
 * Hears what a server says unasked, for as long as its session lasts. A stream that breaks off is taken up again, less and
 * less often. Ends by itself where the server has no such stream.
 */
export function hearServer(post: SendPost, side: Side): { close(): void } {
  const left = new AbortController()
  void hear(post, side, left.signal)
  return { close: () => left.abort() }
}

async function hear(post: SendPost, side: Side, signal: AbortSignal): Promise<void> {
  const mark: StreamMark = { id: undefined, retry_ms: undefined }
  for (let rest_ms = REST_MS; !signal.aborted; rest_ms = Math.min(rest_ms * 2, MAX_REST_MS)) {
    const heard = await hearOnce(post, side, mark, signal)
    if (heard === 'refused' || signal.aborted) return
    if (heard === 'something') rest_ms = REST_MS
    await pause(Math.min(mark.retry_ms ?? rest_ms, MAX_REST_MS), undefined, { signal, ref: false }).catch(
      () => {},
    )
    // Where it cannot be taken up where it broke off, a change may have been missed.
    if (!canResume(side, mark) && !signal.aborted)
      side.onNotice({ kind: 'notice', method: TOOLS_CHANGED, params: undefined })
  }
}

async function hearOnce(post: SendPost, side: Side, mark: StreamMark, signal: AbortSignal) {
  let has_heard = false
  const read = eventReader((data) => {
    has_heard = true
    const message = findMessage(data)
    if (message?.kind === 'notice') side.onNotice(message)
  }, mark)
  try {
    const { status, headers } = await post({
      ...listening(side, mark),
      limit_bytes: MAX_STREAM_BYTES,
      deadline: { signal, remaining_ms: () => MAX_STREAM_MS },
      progress: { sent: false },
      watch(text) {
        read(text)
        return false
      },
    })
    if (status >= 400 || mediaType(headers) !== 'text/event-stream') return 'refused'
  } catch (error) {
    // Who may not be reached, or does not speak HTTP, will not be heard next time either.
    const { reason } = failureOf(error, false)
    if (reason === 'refused_address' || reason === 'protocol') return 'refused'
  }
  return has_heard ? 'something' : 'nothing'
}

/** Since 2026-07-28 a stream cannot be taken up where it broke off. */
function canResume({ manner }: Side, mark: StreamMark): boolean {
  return manner === 'greeted' && mark.id !== undefined
}

function listening(side: Side, mark: StreamMark): Pick<Post, 'method' | 'headers' | 'body'> {
  if (side.manner === 'greeted') {
    const resume = canResume(side, mark) ? { 'last-event-id': mark.id as string } : {}
    const headers = { ...side.headers, ...resume, accept: 'text/event-stream' }
    return { method: 'GET', body: undefined, headers }
  }
  const { method, params } = LISTEN
  const headers = { ...side.headers, 'mcp-method': method }
  return { method: 'POST', headers, body: renderRequest(0, method, paramsFor(side.manner, params)) }
}
