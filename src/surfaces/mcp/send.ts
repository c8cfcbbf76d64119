import type { ServerResponse } from 'node:http'
import type { TellProgress } from '../../operations/define-operation.ts'

/** Names and values by turns, as they are written. */
export type HeaderList = readonly string[]

const JSON_HEADERS: HeaderList = ['content-type', 'application/json']
/** The headers the SDK gives an event stream. */
const EVENT_HEADERS: HeaderList = [
  'cache-control',
  'no-cache, no-transform',
  'content-type',
  'text/event-stream',
  'x-accel-buffering',
  'no',
]

interface Telling {
  readonly stop: () => void
  readonly tell: TellProgress
}

/** Writes answers, each with the host's own headers before those of the protocol. */
export interface Sender {
  json(res: ServerResponse, status: number, text: string): void
  /** One message as a whole stream: the answer 2025 clients get to a request. */
  event(res: ServerResponse, message: string): void
  /** Comments keep a quiet stream from being cut by a proxy while a long call runs. */
  startKeepAlive(res: ServerResponse, everyMs: number): () => void
  /** Tells a client that asked for it, now and then, that its call still runs, where the tool tells nothing itself. */
  startProgress(res: ServerResponse, everyMs: number, token: string | number): Telling
}

export function createSender(own: HeaderList): Sender {
  const json = [...own, ...JSON_HEADERS, 'content-length']
  const stream = [...withoutNames(own, EVENT_HEADERS), ...EVENT_HEADERS]
  const event = [...stream, 'content-length']
  return {
    json: (res, status, text) => end(res, status, json, text),
    event(res, message) {
      const frame = frameOf(message)
      if (res.headersSent) res.end(frame)
      else end(res, 200, event, frame)
    },
    startKeepAlive: (res, everyMs) => every(everyMs, () => writePart(res, stream, ': keepalive\n\n')),
    startProgress(res, everyMs, progressToken) {
      let count = 0
      const send: TellProgress = (progress, total, message) => {
        const params = { progressToken, progress, total, message }
        const text = JSON.stringify({ method: 'notifications/progress', params, jsonrpc: '2.0' })
        if (!res.destroyed && !res.writableEnded) writePart(res, stream, frameOf(text))
      }
      const stop = every(everyMs, () => send(++count))
      return {
        stop,
        tell(...values) {
          stop()
          send(...values)
        },
      }
    },
  }
}

function frameOf(message: string): string {
  return `event: message\ndata: ${message}\n\n`
}

function writePart(res: ServerResponse, headers: HeaderList, text: string): void {
  if (!res.headersSent) res.writeHead(200, [...headers])
  res.write(text)
}

function every(ms: number, act: () => void): () => void {
  const timer = setInterval(act, ms)
  timer.unref()
  return () => clearInterval(timer)
}

function end(res: ServerResponse, status: number, headers: HeaderList, text: string): void {
  res.writeHead(status, [...headers, String(Buffer.byteLength(text))])
  res.end(text)
}

/** Of two headers of one name only the protocol's is sent. */
function withoutNames(list: HeaderList, others: HeaderList): string[] {
  const names = new Set(others.filter((_, at) => at % 2 === 0))
  return list.filter((_, at) => !names.has(list[at - (at % 2)] as string))
}
