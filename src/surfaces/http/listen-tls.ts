import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createSecureContext, createServer, type Server } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import type { Hub } from '../../operations/hub.ts'
import type { HubConfig } from '../../platform/policy/hub-config.ts'

const HANDSHAKE_TIMEOUT_MS = 15_000
/** How often the files are looked at: a renewed certificate counts without a restart. */
const LOOK_EVERY_MS = 60_000

type Tls = NonNullable<HubConfig['tls']>

/** Speaks TLS under the public name, and hands what comes in to the hub's server. */
export async function listenTls(
  app: FastifyInstance,
  hub: Hub,
  tls: Tls,
  public_url: string,
): Promise<Server> {
  let files = readFiles(tls)
  const settings = { ALPNProtocols: ['http/1.1'], handshakeTimeout: HANDSHAKE_TIMEOUT_MS }
  const server = createServer({ ...files, ...settings }, (socket) => app.server.emit('connection', socket))
  server.maxConnections = app.server.maxConnections
  // Whoever speaks no TLS, or breaks off, is let go.
  server.on('tlsClientError', (_error, socket) => socket.destroy())
  server.listen({ host: tls.host, port: tls.port ?? Number(new URL(public_url).port || 443) })
  await once(server, 'listening')
  const look = setInterval(() => {
    try {
      const now = readFiles(tls)
      if (now.cert === files.cert && now.key === files.key) return
      server.setSecureContext(now)
      files = now
    } catch (error) {
      // What was good goes on, until it ends by itself.
      hub.log.error({ fault: (error as Error).message }, 'the renewed certificate cannot be used')
    }
  }, LOOK_EVERY_MS)
  server.once('close', () => clearInterval(look))
  return server
}

function readFiles({ cert, key }: Tls) {
  const files = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') }
  try {
    createSecureContext(files)
  } catch (error) {
    throw new Error(`tls: ${cert} and ${key} are no certificate with its key. ${(error as Error).message}`, {
      cause: error,
    })
  }
  return { ...files, minVersion: 'TLSv1.2' as const }
}
