import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { type CloudEventV1, HTTP } from 'cloudevents'
import { Webhook } from 'standardwebhooks'

/** A request as the receiver got it. */
export interface ReceivedEvent {
  readonly id: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly event: { type: string; subject: string; sequence: string; data: Record<string, unknown> }
}

export interface Reply {
  readonly status: number
  readonly headers?: Record<string, string>
  readonly body?: string
  readonly wait_ms?: number
}

/** A real web server that takes events. Unless told otherwise it answers as a good receiver does. */
export interface EventReceiver extends AsyncDisposable {
  readonly url: string
  /** Everything that came, in order, refused or not. */
  readonly requests: ReceivedEvent[]
  /** What was taken, in order. */
  readonly taken: ReceivedEvent[]
  /** The most requests that were ever open at once. */
  readonly most_at_once: () => number
  reply: (event: ReceivedEvent) => Reply
  /** The numbers of the taken events, the verification left out. */
  sequence(): number[]
  /** Stops listening, as a receiver that is down. */
  close(): Promise<void>
}

/** Gives the challenge of a verification back, and takes everything else. */
export function goodReply({ event }: ReceivedEvent): Reply {
  if (event.type !== 'pdpp.subscription.verify') return { status: 204 }
  const body = JSON.stringify({ challenge: event.data.challenge })
  return { status: 200, headers: { 'content-type': 'application/json' }, body }
}

/** Starts a receiver on loopback. */
export async function startReceiver(port = 0): Promise<EventReceiver> {
  const requests: ReceivedEvent[] = []
  const taken: ReceivedEvent[] = []
  let open = 0
  let most = 0
  const server = createServer(async (request, response) => {
    most = Math.max(most, ++open)
    response.once('close', () => open--)
    const body = await text(request)
    const got = {
      id: String(request.headers['webhook-id']),
      headers: request.headers,
      body,
      event: JSON.parse(body),
    }
    requests.push(got)
    const { status, headers = {}, body: answer = '', wait_ms = 0 } = receiver.reply(got)
    if (wait_ms > 0) await sleep(wait_ms)
    if (response.destroyed) return
    if (status < 300) taken.push(got)
    response.writeHead(status, headers).end(answer)
  })
  await listen(server, port)
  const close = async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
  const receiver: EventReceiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/events`,
    requests,
    taken,
    most_at_once: () => most,
    reply: goodReply,
    sequence: () => taken.map(({ event }) => Number(event.sequence)).filter((number) => number > 0),
    close,
    [Symbol.asyncDispose]: async () => {
      if (server.listening) await close()
    },
  }
  return receiver
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((ready, failed) => {
    server.once('error', failed)
    server.listen(port, '127.0.0.1', ready)
  })
}

/** What the official CloudEvents library makes of a request, once the Standard Webhooks one believes it. */
export function checkedEvent(
  { headers, body }: ReceivedEvent,
  secret: string,
): CloudEventV1<Record<string, unknown>> {
  const plain = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
  new Webhook(secret).verify(body, plain)
  const event = HTTP.toEvent<Record<string, unknown>>({ headers: plain, body })
  if (Array.isArray(event)) throw new Error('One event was expected.')
  return event
}
