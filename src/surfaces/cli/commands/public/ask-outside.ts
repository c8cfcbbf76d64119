import { request as askPlainly, type IncomingHttpHeaders, type IncomingMessage } from 'node:http'
import { request as askOverTls } from 'node:https'
import type { TLSSocket } from 'node:tls'
import { UsageError } from '../../cli-errors.ts'

const TIMEOUT_MS = 10_000
const ANSWER_LIMIT_CHARS = 1_048_576

/** A hub as it is seen from the network: its public address, and where to ask instead of where DNS says. */
export interface Outside {
  readonly url: URL
  readonly at: string | undefined
}

export interface Asked {
  /** The target of the request, as it stands in its first line. */
  readonly path: string
  /** Another Host than the hub's. */
  readonly host?: string
  /** Whether the request pretends to have come from this machine. */
  readonly forwarded?: boolean
  /** Over http:// and its usual port. */
  readonly plainly?: boolean
}

/** What came back; a status of 0 means that nothing did, and why. */
export interface Heard {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly valid_to?: string
  readonly fault?: string
}

/** Asks once, with headers that no browser would send. */
export function askOutside({ url, at }: Outside, { path, host, forwarded, plainly }: Asked): Promise<Heard> {
  const [address, port] = placeOf(at)
  const local = 'for=127.0.0.1;host=localhost;proto=http'
  const settings = {
    host: address ?? url.hostname,
    port: plainly ? 80 : (port ?? url.port) || 443,
    path,
    agent: false,
    timeout: TIMEOUT_MS,
    headers: {
      host: host ?? url.host,
      accept: 'application/json',
      ...(forwarded && { 'x-forwarded-for': '127.0.0.1', 'x-forwarded-host': 'localhost', forwarded: local }),
    },
  }
  return new Promise((resolve) => {
    const fail = (error: Error) => resolve({ status: 0, headers: {}, body: '', fault: error.message })
    const read = (response: IncomingMessage) => void readAnswer(response).then(resolve, fail)
    const asked = plainly
      ? askPlainly(settings, read)
      : askOverTls({ ...settings, servername: url.hostname }, read)
    asked.on('timeout', () => asked.destroy(new Error(`No answer within ${TIMEOUT_MS / 1_000} seconds.`)))
    asked.on('error', fail)
    asked.end()
  })
}

/** `ADDRESS` or `ADDRESS:PORT`, with brackets around an IPv6 address. */
function placeOf(at: string | undefined): (string | undefined)[] {
  if (at === undefined) return []
  const [, v6, plain, port] = /^(?:\[([0-9a-f:.]+)\]|([^:[\]]+))(?::(\d{1,5}))?$/i.exec(at) ?? []
  const address = v6 ?? plain
  if (address === undefined) throw new UsageError('--at is not an address.', 'Such as --at 192.0.2.7:443')
  return [address, port]
}

async function readAnswer(response: IncomingMessage): Promise<Heard> {
  const { valid_to } = (response.socket as TLSSocket).getPeerCertificate?.() ?? {}
  let body = ''
  for await (const part of response.setEncoding('utf8')) {
    body += part
    if (body.length > ANSWER_LIMIT_CHARS) break
  }
  return { status: response.statusCode ?? 0, headers: response.headers, body, ...(valid_to && { valid_to }) }
}
