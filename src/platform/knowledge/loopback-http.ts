import { type LookupAddress, type LookupOptions, lookup as systemLookup } from 'node:dns'
import { Agent, type IncomingMessage, request } from 'node:http'
import { isIPv4, type LookupFunction } from 'node:net'

const URL_MAX_CHARS = 1_000
const CONNECTIONS_MAX = 8
/** Of what a service says about its own failure. */
const REASON_MAX_CHARS = 300

/** What an exchange with a service may cost. */
export interface LoopbackLimits {
  /** From the first byte sent to the last one read. */
  readonly timeout_ms: number
  readonly answer_bytes: number
}

/** An address of a service does not lie on this machine, so it is not used; names the setting. */
export class LoopbackRefused extends Error {
  override readonly name = 'LoopbackRefused'
  readonly setting: string
  constructor(setting: string) {
    super(`${setting} must be an http address on this machine, such as http://localhost:11434.`)
    this.setting = setting
  }
}

/** A service beside the hub did not do its part; names the setting that leads to it. */
export class BackendUnavailable extends Error {
  override readonly name = 'BackendUnavailable'
  readonly setting: string
  constructor(setting: string, reason: string, options?: ErrorOptions) {
    super(`The service of ${setting} ${reason}.`, options)
    this.setting = setting
  }
}

/** What a service answered: a status and a document. */
export interface LoopbackAnswer {
  readonly status: number
  readonly body: unknown
}

/** Speaks JSON with a service on this machine, and with nothing else. */
export interface LoopbackClient {
  send(method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: object): Promise<LoopbackAnswer>
  /** What to throw where an answer is not what it should be. */
  fault(reason: string, options?: ErrorOptions): BackendUnavailable
  close(): void
}

/** Whether an address leads to this machine by its own words: `localhost`, 127.0.0.0/8 or ::1, plain http. */
export function isLoopbackUrl(text: string): boolean {
  if (text.length > URL_MAX_CHARS || !URL.canParse(text)) return false
  const { protocol, username, password, hostname, pathname, search, hash } = new URL(text)
  if (protocol !== 'http:' || username + password + search + hash !== '' || pathname !== '/') return false
  const host = hostname.replace(/^\[|\]$/g, '')
  return host === 'localhost' || host.endsWith('.localhost') || isLoopbackAddress(host)
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || (isIPv4(address) && address.startsWith('127.'))
}

/** Opens the way to a service; `setting` is what the owner called it by. */
export function openLoopback(
  setting: string,
  url: string,
  limits: LoopbackLimits,
  lookup: LookupFunction = systemLookup as LookupFunction,
): LoopbackClient {
  if (!isLoopbackUrl(url)) throw new LoopbackRefused(setting)
  const target = new URL(url)
  // An agent of its own: the one of the process may be told by the environment to use a proxy.
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS_MAX })
  const fault: LoopbackClient['fault'] = (reason, options) => new BackendUnavailable(setting, reason, options)
  return {
    fault,
    close: () => agent.destroy(),
    async send(method, path, body) {
      const options = { method, agent, lookup: guardedLookup(setting, lookup) }
      const sent = body === undefined ? undefined : JSON.stringify(body)
      try {
        const { status, text } = await exchange(new URL(path, target), options, sent, limits)
        return { status, body: parseAnswer(text, fault) }
      } catch (error) {
        throw asFault(error, fault)
      }
    },
  }
}

/** What a service says went wrong, on one line and not too long. */
export function reasonOf({ status, body }: LoopbackAnswer): string {
  const said = (body as { error?: unknown; message?: unknown } | null) ?? {}
  const text = [said.error, said.message].filter((part) => typeof part === 'string').join(': ')
  const plain = text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ').slice(0, REASON_MAX_CHARS)
  return plain === '' ? `answered with status ${status}` : `answered with status ${status}: ${plain}`
}

function parseAnswer(text: string, fault: LoopbackClient['fault']): unknown {
  try {
    return text === '' ? null : JSON.parse(text)
  } catch (cause) {
    throw fault('answered with something that is no JSON', { cause })
  }
}

function asFault(error: unknown, fault: LoopbackClient['fault']): unknown {
  if (error instanceof LoopbackRefused || error instanceof BackendUnavailable) return error
  const { name, code } = error as NodeJS.ErrnoException
  if (name === 'TimeoutError' || name === 'AbortError')
    return fault('did not answer in time', { cause: error })
  if (code === 'ERR_TOO_LARGE') return fault('answered with more than it may', { cause: error })
  return fault(`cannot be reached${code ? ` (${code})` : ''}`, { cause: error })
}

/** A name is believed only where all its addresses are of this machine. */
function guardedLookup(setting: string, lookup: LookupFunction): LookupFunction {
  return (hostname, options: LookupOptions, callback) => {
    lookup(hostname, options, (error, found, family) => {
      if (error) return callback(error, found, family)
      const addresses = typeof found === 'string' ? [{ address: found }] : (found as LookupAddress[])
      if (addresses.every(({ address }) => isLoopbackAddress(address))) return callback(null, found, family)
      callback(new LoopbackRefused(setting), '', 0)
    })
  }
}

interface Answered {
  readonly status: number
  readonly text: string
}

/** One question and its answer. A redirect is an answer like any other: it is not followed. */
function exchange(
  url: URL,
  options: { method: string; agent: Agent; lookup: LookupFunction },
  body: string | undefined,
  limits: LoopbackLimits,
): Promise<Answered> {
  const signal = AbortSignal.timeout(limits.timeout_ms)
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  return new Promise((resolve, reject) => {
    const asked = request(url, { ...options, headers, signal }, (answer) => {
      readText(answer, limits.answer_bytes).then(
        (text) => resolve({ status: answer.statusCode ?? 0, text }),
        (error) => reject(signal.aborted ? signal.reason : error),
      )
    })
    asked.on('error', (error) => reject(signal.aborted ? signal.reason : error))
    asked.end(body)
  })
}

async function readText(answer: IncomingMessage, limit: number): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of answer as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > limit) throw Object.assign(new Error('too large'), { code: 'ERR_TOO_LARGE' })
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}
