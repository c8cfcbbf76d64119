import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A web server on loopback that answers as a test says, and remembers what it was asked. */
export interface WebServer extends AsyncDisposable {
  readonly url: string
  readonly asked: { method: string; path: string; headers: IncomingMessage['headers']; body: string }[]
}

/** Starts one; `answer` may leave a request without an answer. */
export async function startWebServer(
  answer: (request: IncomingMessage, response: ServerResponse, body: string) => void,
): Promise<WebServer> {
  const asked: WebServer['asked'] = []
  const server = createServer((request, response) => {
    let body = ''
    request.on('data', (part: Buffer) => {
      body += part.toString('utf8')
    })
    request.on('end', () => {
      const { method = '', url = '', headers } = request
      asked.push({ method, path: url, headers, body })
      answer(request, response, body)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
