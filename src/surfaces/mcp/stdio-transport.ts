import { once } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as delay, setImmediate as nextTurn } from 'node:timers/promises'
import {
  type JSONRPCMessage,
  parseJSONRPCMessage,
  type RequestId,
  type Transport,
} from '@modelcontextprotocol/server'
import { underWay } from '../../platform/basics/under-way.ts'
import { type EnvelopeRefusal, findId, readEnvelope, renderRefusal } from './envelope-guard.ts'
import { MAX_LINE_CHARS, readSession, type SessionLine } from './stdio-lines.ts'

export type StdioTransport = Transport & { closed: Promise<void> }

/** Keeps the record of a line that was refused unread. */
export type OnRefusedLine = (code: 'BAD_REQUEST' | 'PAYLOAD_TOO_LARGE') => Promise<unknown>

const MAX_IN_FLIGHT = 256
const DRAIN_MS = 10_000
const TOO_LONG: EnvelopeRefusal = {
  code: -32600,
  message: `Invalid Request: the message is longer than ${MAX_LINE_CHARS} characters; send less at once`,
}
const NOT_A_MESSAGE: EnvelopeRefusal = { code: -32600, message: 'Invalid Request: not a JSON-RPC message' }

/**
 * Lines in, lines out, under the SDK's stdio server. The SDK's own transport takes repeated keys and
 * drops unanswered calls at end of input; this one refuses the first and waits for the second.
 */
export function createStdioTransport(
  input: Readable,
  output: Writable,
  onRefused: OnRefusedLine = async () => {},
): StdioTransport {
  const inFlight = createInFlight()
  const closed = Promise.withResolvers<void>()
  let isClosed = false
  const write = lineWriter(output, closed.promise, () => isClosed)
  const refuse = refusing(write, onRefused)

  const transport: StdioTransport = {
    closed: closed.promise,
    async start() {
      output.on('error', fail)
      void serveInput().catch(fail)
    },
    async send(message) {
      await write(JSON.stringify(message))
      if (!('method' in message) && message.id !== undefined) inFlight.end(message.id)
    },
    async close() {
      if (isClosed) return
      isClosed = true
      input.destroy()
      transport.onclose?.()
      closed.resolve()
    },
  }

  async function serveInput(): Promise<void> {
    for await (const lines of readSession(input))
      for (const line of lines) {
        await accept(line)
        if (inFlight.size > MAX_IN_FLIGHT) await inFlight.atMost(MAX_IN_FLIGHT)
      }
    await drain(inFlight)
    await transport.close()
  }

  function accept({ text, is_too_long }: SessionLine): Promise<void> | undefined {
    if (is_too_long) return refuse(TOO_LONG, findId(text))
    if (text.trim() === '') return undefined
    const envelope = readEnvelope(text)
    if ('refused' in envelope) return refuse(envelope.refused)
    const message = findMessage(envelope.body)
    if (!message) return refuse(NOT_A_MESSAGE)
    inFlight.note(message)
    transport.onmessage?.(message)
    // The SDK works on it in promises; the next line, which may cancel this one, comes after those.
    return nextTurn()
  }

  function fail(error: Error): void {
    if (isClosed) return
    transport.onerror?.(error)
    void transport.close()
  }

  return transport
}

type Write = (text: string) => Promise<void>

/** Lets what was asked for before the input ended be answered. */
async function drain(inFlight: { atMost(count: number): Promise<void> }): Promise<void> {
  await Promise.race([inFlight.atMost(0), delay(DRAIN_MS, undefined, { ref: false })])
  // The SDK forgets an answered call one turn later; closing now would still abort it.
  await nextTurn()
}

/** Answers a line that is refused unread, once that is on record. */
function refusing(write: Write, onRefused: OnRefusedLine) {
  return async (refusal: EnvelopeRefusal, id?: RequestId | null): Promise<void> => {
    await onRefused(refusal === TOO_LONG ? 'PAYLOAD_TOO_LARGE' : 'BAD_REQUEST')
    await write(renderRefusal(refusal, id))
  }
}

/** Writes lines; waits for a reader that is slower than we are, but not for one that has gone. */
function lineWriter(output: Writable, gone: Promise<void>, isGone: () => boolean): Write {
  return async (text) => {
    if (isGone() || output.destroyed) return
    if (!output.write(`${text}\n`)) await Promise.race([once(output, 'drain'), gone])
  }
}

function findMessage(body: unknown): JSONRPCMessage | undefined {
  try {
    return parseJSONRPCMessage(body)
  } catch {
    return undefined
  }
}

/** Which requests still want an answer. A cancelled one gets none, and a subscription only at the end. */
function createInFlight() {
  const ids = underWay<true>()
  let wake: (() => void) | undefined
  const end = (id: RequestId) => {
    ids.delete(id)
    wake?.()
  }
  return {
    get size() {
      return ids.size
    },
    end,
    note(message: JSONRPCMessage) {
      if (!('method' in message)) return
      if (message.method === 'notifications/cancelled') end(message.params?.requestId as RequestId)
      else if ('id' in message && message.method !== 'subscriptions/listen') ids.set(message.id, true)
    },
    async atMost(count: number): Promise<void> {
      while (ids.size > count) {
        const ended = Promise.withResolvers<void>()
        wake = ended.resolve
        await ended.promise
      }
    },
  }
}
