import type { ServerResponse } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { ownerSession } from '../../../operations/authority.ts'
import { defineOperation, type Operation } from '../../../operations/define-operation.ts'
import { Refusal } from '../../../operations/errors.ts'
import type { Hub } from '../../../operations/hub.ts'
import { sessionContract } from '../../../operations/owner-contract.ts'
import { sessionErrors, surfaceErrors } from '../../../operations/owner-errors.ts'
import { runOperation } from '../../../operations/run-operation.ts'
import { callOf } from '../operation-call.ts'
import { findLimit, sendAnswer } from '../operation-routes.ts'
import { SECURITY_HEADER_VALUES } from '../security-headers.ts'
import { type Change, type ChangeFeed, openChangeFeed } from './change-feed.ts'

const STREAM_PATH = '/v1/owner/stream'

/** Streams at most of one hub: tabs of one browser share theirs. */
const STREAM_LIMIT = 64
const HEARTBEAT_MS = 15_000
/** How long a browser waits before it comes again. */
const RETRY_MS = 1_000
/** A reader that takes nothing is let go at this, and comes again with the number that it knows. */
const BEHIND_LIMIT_BYTES = 262_144

/** The audit log's name for listening to what happens. Nothing of an input or an answer is in the stream. */
const ownerStream: Operation = defineOperation({
  name: 'owner_stream',
  summary: 'Listen to what happens in the hub: kinds, ids and numbers of records, as server-sent events.',
  effect: 'read',
  authority: ownerSession(),
  whileLocked: true,
  rest: `GET ${STREAM_PATH}`,
  errors: { ...surfaceErrors.table, ...sessionErrors.table },
  whenInvalid: 'invalid_request',
  contract: sessionContract,
  input: z.strictObject({}),
  output: z.strictObject({}),
  handle: async () => ({}),
})

/** Mounts the stream. A session that ends, wherever that is, ends its streams too. */
export function addOwnerStream(app: FastifyInstance, hub: Hub, isRead: (operation: string) => boolean): void {
  const open = new Set<ServerResponse>()
  const feed = openChangeFeed(hub, isRead)
  app.addHook('preClose', async () => {
    feed.close()
    for (const response of open) response.end()
  })
  app.get(STREAM_PATH, { config: { operation: ownerStream } }, async (request, reply) => {
    const call = callOf(ownerStream, request.identity, request.headers, {}, request.identity.refused)
    const limited =
      open.size >= STREAM_LIMIT ? new Refusal('RATE_LIMITED', undefined, 1) : findLimit(hub, call.caller)
    const answer = await runOperation(hub, limited ? { ...call, unread: limited } : call)
    if (!answer.ok) return sendAnswer(reply, answer, ownerStream)
    const response = begin(request, reply)
    open.add(response)
    const stop = new AbortController()
    stop.signal.addEventListener('abort', () => response.end(), { once: true })
    const end = hub.acts.begin({ call, stop })
    const leave = follow(feed, response, placeOf(request))
    response.once('close', () => {
      open.delete(response)
      leave()
      end()
    })
    return reply
  })
}

function begin(request: FastifyRequest, reply: FastifyReply): ServerResponse {
  reply.hijack()
  const { raw } = reply
  raw.writeHead(200, {
    ...SECURITY_HEADER_VALUES,
    'content-type': 'text/event-stream; charset=utf-8',
    'x-accel-buffering': 'no',
  })
  // No limit on the time of a request counts for one that is meant to stay.
  request.raw.socket.setTimeout(0)
  raw.write(`retry: ${RETRY_MS}\n\n`)
  return raw
}

/** Where a reader goes on that was here before. */
function placeOf({ headers, query }: FastifyRequest): number | undefined {
  const { after } = query as { after?: unknown }
  const named = headers['last-event-id'] ?? after
  return typeof named === 'string' && /^\d{1,15}$/.test(named) ? Number(named) : undefined
}

function follow(feed: ChangeFeed, response: ServerResponse, after: number | undefined): () => void {
  const write = (text: string) => {
    if (response.writableEnded) return
    if (response.writableLength > BEHIND_LIMIT_BYTES) response.destroy()
    else response.write(text)
  }
  const heartbeat = setInterval(() => write('event: beat\ndata: {}\n\n'), HEARTBEAT_MS).unref()
  const leave = feed.listen(after, {
    here: (seq) => write(`id: ${seq}\nevent: here\ndata: {"seq":${seq}}\n\n`),
    changes: (changes) => write(renderChanges(changes)),
  })
  return () => {
    clearInterval(heartbeat)
    leave()
  }
}

function renderChanges(changes: readonly Change[]): string {
  return `id: ${changes.at(-1)?.seq}\nevent: changes\ndata: ${JSON.stringify(changes)}\n\n`
}
