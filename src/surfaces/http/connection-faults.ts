import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { COMMON_ERRORS } from '../../operations/errors.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

interface Fault {
  status: number
  code: string
  error: string
}

const MALFORMED: Fault = { status: 400, code: 'BAD_REQUEST', error: COMMON_ERRORS.BAD_REQUEST.message }
const FAULTS: Readonly<Record<string, Fault>> = {
  ERR_HTTP_REQUEST_TIMEOUT: {
    status: 408,
    code: 'REQUEST_TIMEOUT',
    error: 'The request took too long to arrive.',
  },
  HPE_HEADER_OVERFLOW: { status: 431, code: 'HEADERS_TOO_LARGE', error: 'The headers are too large.' },
}

/** Answers what is no HTTP request at all, in the form of every other answer, and hangs up. */
export function connectionFaults() {
  const answers = new WeakMap<Socket, ServerResponse[]>()
  return {
    /** Notes a request of a connection, so that its answer is not mistaken for that of a fault after it. */
    follow({ socket }: IncomingMessage, response: ServerResponse): void {
      const earlier = answers.get(socket)
      if (!earlier) return void answers.set(socket, [response])
      // Nearly always the one before is done, and the list stays one long.
      if (earlier.every(isDone)) earlier.length = 0
      earlier.push(response)
    },
    answer(fault: NodeJS.ErrnoException, socket: Socket): void {
      if (fault.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
      const owed = (answers.get(socket) ?? []).filter(isOwed)
      if (owed.length === 0) return sendFault(FAULTS[fault.code ?? ''] ?? MALFORMED, socket)
      for (const response of owed) response.once('finish', () => !owed.some(isOwed) && socket.end())
    },
  }
}

function isDone(response: ServerResponse): boolean {
  return !isUnderWay(response)
}

function isUnderWay(response: ServerResponse): boolean {
  return !response.writableFinished && !response.destroyed
}

/** Whether a request came in whole, so that the fault is not its own, and still waits; or is half answered. */
function isOwed(response: ServerResponse): boolean {
  return isUnderWay(response) && (response.req.complete || response.headersSent)
}

function sendFault({ status, code, error }: Fault, socket: Socket): void {
  const body = JSON.stringify({ error, code })
  const lines = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
    ...SECURITY_HEADERS.map(([name, value]) => `${name}: ${value}`),
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}
