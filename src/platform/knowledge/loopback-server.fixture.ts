import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** An HTTP server on loopback that answers as a test says, and remembers what it was asked. */
export interface LoopbackServer extends AsyncDisposable {
  readonly url: string
  readonly asked: { readonly method: string; readonly path: string; readonly body: unknown }[]
}

/** What a server is asked: where, and with which document. */
export type Answering = (
  asked: LoopbackServer['asked'][number],
  response: ServerResponse,
  request: IncomingMessage,
) => void

/** Starts one; it may leave a question without an answer. */
export async function startLoopbackServer(answer: Answering): Promise<LoopbackServer> {
  const asked: LoopbackServer['asked'] = []
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    request.on('data', (part: Buffer) => parts.push(part))
    request.on('end', () => {
      const text = Buffer.concat(parts).toString('utf8')
      const { method = '', url = '' } = request
      const one = { method, path: url, body: text === '' ? undefined : JSON.parse(text) }
      asked.push(one)
      answer(one, response, request)
    })
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((closed) => server.close(closed))
    },
  }
}

/** Answers with a document. */
export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}
