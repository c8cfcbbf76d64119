import type { LookupFunction } from 'node:net'
import { AddressRefused, guardedAgents } from '../../../../platform/upstream/http/guarded-agent.ts'
import { findCallbackFault } from '../callback-url.ts'

/** A receiver has so long to answer. */
export const RESPONSE_MS = 10_000
/** An answer only has to give a challenge back. */
const ANSWER_LIMIT_BYTES = 4_096
const CONTENT_TYPE = 'application/cloudevents+json; charset=utf-8'

/** How a receiver took an event. `cancelled`: nobody knows, and it counts for nothing. */
export type Posted =
  | { readonly kind: 'accepted'; readonly answer: string }
  | { readonly kind: 'refused'; readonly status: number; readonly retry_after_seconds: number | undefined }
  | { readonly kind: 'failed'; readonly failure: 'unreachable' | 'refused_address' | 'timeout' }
  | { readonly kind: 'cancelled' }

/** Posts events to receivers. */
export interface Poster {
  post(url: string, headers: Readonly<Record<string, string>>, body: string): Promise<Posted>
  /** Gives up on what is under way. */
  close(): Promise<void>
}

export interface PosterOptions {
  /** How names become addresses. */
  readonly lookup?: LookupFunction
  readonly response_ms?: number
}

/** Opens a poster that reaches public addresses, and loopback where the url names it; it follows nowhere. */
export function openPoster({ lookup, response_ms = RESPONSE_MS }: PosterOptions = {}): Poster {
  const agents = guardedAgents(lookup)
  const closing = new AbortController()

  async function ask(url: URL, headers: Readonly<Record<string, string>>, body: string, signal: AbortSignal) {
    const answer = await agents.agentFor(url.href, []).request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: 'POST',
      headers: { ...headers, 'content-type': CONTENT_TYPE, 'user-agent': 'knowtation' },
      body,
      signal,
    })
    return { answer, text: await readStart(answer.body, signal) }
  }

  return {
    async post(url, headers, body) {
      // Judged again: what was stored before may lie under other rules now.
      if (findCallbackFault(url) !== undefined) return { kind: 'failed', failure: 'refused_address' }
      const window = new AbortController()
      const timer = setTimeout(() => window.abort(), response_ms)
      const stop = () => window.abort()
      closing.signal.addEventListener('abort', stop)
      try {
        const { answer, text } = await ask(new URL(url), headers, body, window.signal)
        const { statusCode: status } = answer
        if (status >= 200 && status < 300) return { kind: 'accepted', answer: text }
        return { kind: 'refused', status, retry_after_seconds: waitOf(answer.headers['retry-after']) }
      } catch (error) {
        if (closing.signal.aborted) return { kind: 'cancelled' }
        if (window.signal.aborted) return { kind: 'failed', failure: 'timeout' }
        return {
          kind: 'failed',
          failure: error instanceof AddressRefused ? 'refused_address' : 'unreachable',
        }
      } finally {
        clearTimeout(timer)
        closing.signal.removeEventListener('abort', stop)
      }
    },
    async close() {
      closing.abort()
      await agents.close()
    },
  }
}

/** The beginning of an answer. The rest is let go with its connection, however long it would be. */
async function readStart(body: AsyncIterable<Buffer>, signal: AbortSignal): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body) {
    parts.push(part)
    bytes += part.length
    if (bytes > ANSWER_LIMIT_BYTES || signal.aborted) break
  }
  return Buffer.concat(parts).toString('utf8', 0, ANSWER_LIMIT_BYTES)
}

function waitOf(header: string | string[] | undefined): number | undefined {
  return typeof header === 'string' && /^\d{1,9}$/.test(header) ? Number(header) : undefined
}
