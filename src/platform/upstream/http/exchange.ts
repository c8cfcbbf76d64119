import type { IncomingHttpHeaders } from 'node:http'
import type { Dispatcher } from 'undici'
import { type Deadline, onDeadline, type Progress } from '../deadline.ts'
import { UpstreamFailure, type UpstreamReason } from '../upstream-failure.ts'
import { AddressRefused } from './guarded-agent.ts'
import { type BodyReader, openBody } from './response-body.ts'

/** The rest of an answer nobody needs is read this far, to keep the connection; then it is cut. */
const DRAIN_BYTES = 65_536
const DRAIN_MS = 1000

export interface WebRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** Headers as the policy writes them, by lower-case name: they tell which ones hold a credential. */
  readonly written?: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly limit_bytes: number
  readonly deadline: Deadline
  readonly progress: Progress
  /** So much of a refusal (a status of 4xx) is wanted as well, where it comes soon. */
  readonly refusal_bytes?: number
  /** The answer is wanted byte for byte, as it was sent. */
  readonly as_bytes?: boolean
  /** Sees the text of an event stream as it comes; true when the rest does not matter. */
  watch?: (text: string) => boolean
}

export interface WebReply {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  /** Empty unless the status is a success, or a refusal that was wanted. */
  readonly text: string
  /** The body of a success that was wanted byte for byte. */
  readonly bytes?: Buffer
}

/** Sends one request and reads its answer within the limits. Never follows, never repeats. */
export function exchange(agent: Dispatcher, request: WebRequest): Promise<WebReply> {
  const { deadline, progress } = request
  return new Promise((resolve, reject) => {
    let controller: Dispatcher.DispatchController | undefined
    let reader: BodyReader | undefined
    let drained_bytes = 0
    let over = false
    let ended = false
    const finish = (settle: () => void) => {
      if (over) return
      over = true
      stop()
      settle()
    }
    const abort = () => controller?.abort(new Error('aborted'))
    const fail = (reason: UpstreamReason) => {
      finish(() => reject(new UpstreamFailure(reason, progress.sent)))
      reader?.close()
      abort()
    }
    const succeed = (status: number, headers: IncomingHttpHeaders, text: string, bytes?: Buffer) => {
      finish(() => resolve({ status, headers, text, ...(bytes && { bytes }) }))
      if (!ended) setTimeout(abort, DRAIN_MS).unref()
    }
    const stop = onDeadline(deadline, fail)

    agent.dispatch(toDispatch(request), {
      onRequestStart(started) {
        controller = started
        if (over) return abort()
        progress.sent = true
      },
      onResponseStart(_, status, headers) {
        if (over || status < 200) return
        const isRefused = status >= 300
        const limits = isRefused ? refusalLimits(status, request) : request
        const withoutText = () => succeed(status, headers, '')
        if (!limits) return withoutText()
        if (isRefused) setTimeout(withoutText, DRAIN_MS).unref()
        reader = openBody(headers, limits, {
          done: (text, bytes) => succeed(status, headers, text, bytes),
          fail: isRefused ? withoutText : fail,
          pause: () => controller?.pause(),
          resume: () => controller?.resume(),
        })
      },
      onResponseData(_, chunk) {
        if (!over) return reader?.take(chunk)
        drained_bytes += chunk.length
        if (drained_bytes > DRAIN_BYTES) abort()
      },
      onResponseEnd() {
        ended = true
        reader?.end()
      },
      onResponseError: (_, error) => fail(reasonOf(error)),
    })
  })
}

function refusalLimits(status: number, { refusal_bytes }: WebRequest): { limit_bytes: number } | undefined {
  if (refusal_bytes === undefined || status < 400 || status >= 500) return undefined
  return { limit_bytes: refusal_bytes }
}

function toDispatch({ url, method, headers, body }: WebRequest): Dispatcher.DispatchOptions {
  return {
    origin: url.origin,
    path: url.pathname + url.search,
    method: method as Dispatcher.HttpMethod,
    headers: { ...headers, 'accept-encoding': 'identity' },
    body: body ?? null,
  }
}

function reasonOf(error: Error & { code?: string }): UpstreamReason {
  if (error instanceof AddressRefused) return 'refused_address'
  if (error.code === 'UND_ERR_HEADERS_OVERFLOW') return 'too_large'
  return error.name === 'HTTPParserError' ? 'protocol' : 'unreachable'
}
