import { createHmac, timingSafeEqual } from 'node:crypto'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { fileURLToPath } from 'node:url'
import { answer, type Input } from './engine.ts'

/** The same engine over HTTP: `ENGINE_SECRET=… node serve.ts [port]`. */
const LARGEST_BYTES = 2_097_152
const OLDEST_SECONDS = 300

/** Whether a request is the host's: signed with our secret, and not an old one played back. */
export function isSigned(
  secret: string,
  headers: IncomingHttpHeaders,
  body: string,
  now = Date.now(),
): boolean {
  const [id, timestamp, given] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((name) =>
    String(headers[name] ?? ''),
  ) as [string, string, string]
  if (!(Math.abs(now / 1_000 - Number(timestamp)) <= OLDEST_SECONDS)) return false
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice(6), 'base64') : Buffer.from(secret)
  const expected = `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  return given.length === expected.length && timingSafeEqual(Buffer.from(given), Buffer.from(expected))
}

/** Serves the engine until it is closed. */
export function serve(secret: string, port: number) {
  const server = createServer((request, response) => {
    const parts: Buffer[] = []
    let bytes = 0
    request.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes > LARGEST_BYTES) request.destroy()
      else parts.push(part)
    })
    request.on('end', () => {
      const body = Buffer.concat(parts).toString('utf8')
      if (!isSigned(secret, request.headers, body)) return void response.writeHead(401).end()
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(answer(JSON.parse(body) as Input)))
    })
  })
  return server.listen(port, '127.0.0.1')
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { ENGINE_SECRET } = process.env
  if (!ENGINE_SECRET) throw new Error('Set ENGINE_SECRET to the secret that the host signs with.')
  serve(ENGINE_SECRET, Number(process.argv[2] ?? 8787))
}
