import { type IncomingMessage, ServerResponse } from 'node:http'
import { Readable } from 'node:stream'

/** What the library answers. */
export interface ProviderAnswer {
  readonly status: number
  readonly location: string | undefined
  readonly body: Readonly<Record<string, unknown>>
}

/** One question to the library: only what we have checked and chosen, never the request itself. */
export interface ProviderQuestion {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

type Callback = (request: IncomingMessage, response: ServerResponse) => unknown

/** The library believes its own host and cookies: neither a forged Host nor a browser's cookie reaches it. */
const HOST = 'hub.invalid'

/** Asks the library as if over HTTP, without a socket. */
export function callProvider(callback: Callback, question: ProviderQuestion): Promise<ProviderAnswer> {
  const { method, path, headers = {}, body } = question
  const content = Buffer.from(body ?? '')
  const request = Object.assign(Readable.from(content.length > 0 ? [content] : []), {
    method,
    url: path,
    headers: {
      host: HOST,
      accept: 'application/json',
      ...(body !== undefined && { 'content-length': String(content.length) }),
      ...headers,
    },
    httpVersion: '1.1',
    httpVersionMajor: 1,
    httpVersionMinor: 1,
    socket: { remoteAddress: '127.0.0.1', encrypted: false },
  }) as unknown as IncomingMessage
  return new Promise((resolve, reject) => {
    const response = new ServerResponse(request)
    const end = (text?: unknown) => {
      try {
        resolve(answerOf(response, typeof text === 'string' || text instanceof Buffer ? String(text) : ''))
      } catch (error) {
        reject(error as Error)
      }
      return response
    }
    Object.assign(response, { end })
    callback(request, response)
  })
}

function answerOf(response: ServerResponse, text: string): ProviderAnswer {
  const location = response.getHeader('location')
  return {
    status: response.statusCode,
    location: typeof location === 'string' ? location : undefined,
    body: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
  }
}
