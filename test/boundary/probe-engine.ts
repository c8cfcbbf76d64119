import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { AgentInput } from '../../src/boundary/index.ts'

/** What one call brought. */
export interface ProbeCall {
  body: string
  headers: IncomingHttpHeaders
  path: string
  /** Resolves when the call was answered, or its caller has gone. */
  over: Promise<unknown>
}

/** An engine that keeps what it was given and answers as a test wants. */
export interface ProbeEngine extends AsyncDisposable {
  readonly url: string
  readonly calls: ProbeCall[]
  /** Answers a call: a value as JSON, a text as it is, or nothing at all until the connection ends. */
  answer: (input: AgentInput, call: ProbeCall) => unknown
  close(): Promise<void>
}

/** The usual answer: one artifact of the first allowed type, from the first allowed entry. */
export function goodAnswer(input: AgentInput): Record<string, unknown> {
  return {
    ok: true,
    executionId: input.executionId,
    status: 'succeeded',
    artifacts: [
      {
        type: input.allowedArtifactTypes[0],
        payload: { plan: 'A plan.' },
        dependsOnLedgerIds: [input.allowedLineage.dependsOnLedgerIds[0]],
        metadata: { generatedAt: '2025-01-19T10:05:00.000Z', model: 'probe', tokensUsed: 1 },
      },
    ],
  }
}

/** An answer like the usual one, with other members. */
export const answering = (changes: object) => (input: AgentInput) => ({ ...goodAnswer(input), ...changes })

/** The one artifact of the usual answer. */
export function artifactOf(input: AgentInput): object {
  return (goodAnswer(input).artifacts as object[])[0] as object
}

/** An answer as bytes, with headers of its own. */
export class RawAnswer {
  readonly bytes: Uint8Array
  readonly headers: Readonly<Record<string, string>>
  constructor(bytes: Uint8Array, headers: Readonly<Record<string, string>> = {}) {
    this.bytes = bytes
    this.headers = headers
  }
}

/** Says that no answer is to come. */
export const NEVER = Symbol('never')

/** Starts a probe on a loopback port. */
export async function startProbe(): Promise<ProbeEngine> {
  const calls: ProbeCall[] = []
  const server = createServer(async (request, response) => {
    const over = once(response, 'close')
    const call = { body: await text(request), headers: request.headers, path: request.url ?? '', over }
    calls.push(call)
    const answer = await probe.answer(JSON.parse(call.body) as AgentInput, call)
    if (answer === NEVER) return
    response.setHeader('content-type', 'application/json')
    if (answer instanceof RawAnswer) {
      for (const [name, value] of Object.entries(answer.headers)) response.setHeader(name, value)
      return void response.end(answer.bytes)
    }
    response.end(typeof answer === 'string' ? answer : JSON.stringify(answer))
  })
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready))
  const close = async () => {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
  const probe: ProbeEngine = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/run`,
    calls,
    answer: goodAnswer,
    close,
    [Symbol.asyncDispose]: close,
  }
  return probe
}
