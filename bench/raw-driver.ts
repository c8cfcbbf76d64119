import { connect, type Socket } from 'node:net'

const HEAD_END = Buffer.from('\r\n\r\n')
const LAST_CHUNK = Buffer.from('\r\n0\r\n\r\n')
const NEVER_ANSWERED_MS = 30_000

export interface Load {
  url: string
  connections: number
  /** Whole HTTP requests; each connection takes them in turn. Or what makes one for a turn and a connection. */
  requests: readonly Buffer[] | ((turn: number, connection: number) => Buffer)
  /** Throws when an answer is not what it should be. Sees every one. */
  check(body: Buffer, status: number, request: number): void
  /** The load ends at whichever comes first. */
  limit: { ms?: number; calls?: number }
}

export interface LoadResult {
  calls: number
  ms: number
  /** Of each call, in the order in which they ended. */
  latencies_ms: number[]
}

/** Writes an HTTP/1.1 request by hand; a body makes it a POST. */
export function renderRequest(path: string, headers: Record<string, string>, body?: string): Buffer {
  const own = {
    host: '127.0.0.1',
    ...headers,
    ...(body && { 'content-length': `${Buffer.byteLength(body)}` }),
  }
  const lines = Object.entries(own).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`${body ? 'POST' : 'GET'} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body ?? ''}`)
}

/**
 * Keeps each connection busy with one request at a time. A client library would cost more than the
 * server on the same machine and hide what is being compared.
 */
export async function drive(load: Load): Promise<LoadResult> {
  const result: LoadResult = { calls: 0, ms: 0, latencies_ms: [] }
  const started = performance.now()
  const { ms = Number.POSITIVE_INFINITY, calls = Number.POSITIVE_INFINITY } = load.limit
  let sent = 0
  const next = () => (performance.now() - started < ms && sent < calls ? sent++ : undefined)
  const connections = Array.from({ length: load.connections }, (_, at) => keepBusy(load, at, next, result))
  await Promise.all(connections)
  result.ms = performance.now() - started
  return result
}

type Next = () => number | undefined

function keepBusy(load: Load, connection: number, next: Next, result: LoadResult): Promise<void> {
  const { hostname, port } = new URL(load.url)
  const socket = connect({ host: hostname, port: Number(port), noDelay: true })
  socket.setTimeout(NEVER_ANSWERED_MS, () => socket.destroy(new Error('A request was never answered.')))
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('close', resolve)
    socket.once('connect', () => exchange(socket, takeRequests(load, connection, next), load, result))
  })
}

type Take = () => { at: number; request: Buffer } | undefined

/** The requests of one connection, each with the number that its answer is checked by. */
function takeRequests({ requests }: Load, connection: number, next: Next): Take {
  return () => {
    const turn = next()
    if (turn === undefined) return undefined
    if (typeof requests === 'function') return { at: turn, request: requests(turn, connection) }
    const at = turn % requests.length
    return { at, request: requests[at] as Buffer }
  }
}

function exchange(socket: Socket, take: Take, load: Load, result: LoadResult): void {
  let at = 0
  let sentAt = 0
  let received: Buffer = Buffer.alloc(0)
  const send = () => {
    const taken = take()
    if (!taken) return void socket.destroy()
    at = taken.at
    sentAt = performance.now()
    socket.write(taken.request)
  }
  socket.on('data', (data) => {
    received = received.length === 0 ? data : Buffer.concat([received, data])
    try {
      const answer = findAnswer(received)
      if (!answer) return
      load.check(answer.body, answer.status, at)
    } catch (error) {
      return void socket.destroy(error as Error)
    }
    received = Buffer.alloc(0)
    result.calls++
    result.latencies_ms.push(performance.now() - sentAt)
    send()
  })
  socket.on('end', () => socket.destroy(new Error('The server closed the connection.')))
  send()
}

/** The answer, once it is there as a whole: by its length, or by its last chunk. */
function findAnswer(received: Buffer): { status: number; body: Buffer } | undefined {
  const headEnd = received.indexOf(HEAD_END)
  if (headEnd < 0) return undefined
  const head = received.toString('latin1', 0, headEnd)
  const status = Number(head.slice(9, 12))
  const body = received.subarray(headEnd + HEAD_END.length)
  const length = /\ncontent-length: *(\d+)/i.exec(head)?.[1]
  if (length === undefined)
    return body.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK) ? { status, body } : undefined
  if (body.length > Number(length)) throw new Error('The server sent more than it announced.')
  return body.length === Number(length) ? { status, body } : undefined
}
