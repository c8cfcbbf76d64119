import type { ServerResponse } from 'node:http'

/** The headers the SDK gives an event stream. */
const EVENT_HEADERS = {
  'cache-control': 'no-cache, no-transform',
  'content-type': 'text/event-stream',
  'x-accel-buffering': 'no',
} as const

export function sendJson(res: ServerResponse, status: number, text: string): void {
  res.writeHead(status, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) })
  res.end(text)
}

/** One message as a whole stream: the answer 2025 clients get to a request. */
export function sendEvent(res: ServerResponse, message: string): void {
  const frame = `event: message\ndata: ${message}\n\n`
  if (!res.headersSent) res.writeHead(200, { ...EVENT_HEADERS, 'content-length': Buffer.byteLength(frame) })
  res.end(frame)
}

/** Comments keep a quiet stream from being cut by a proxy while a long call runs. */
export function startKeepAlive(res: ServerResponse, everyMs: number): () => void {
  const timer = setInterval(() => {
    if (!res.headersSent) res.writeHead(200, EVENT_HEADERS)
    res.write(': keepalive\n\n')
  }, everyMs)
  timer.unref()
  return () => clearInterval(timer)
}

/** Aborts when the client goes away before it was answered: closing the response is cancelling. */
export function abortWhenClosed(res: ServerResponse): AbortSignal {
  const abort = new AbortController()
  res.once('close', () => {
    if (!res.writableEnded) abort.abort()
  })
  return abort.signal
}
