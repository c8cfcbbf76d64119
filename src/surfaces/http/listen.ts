import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import type { FastifyInstance } from 'fastify'

/** What `localhost`, and every name below it, stands for: a browser tries one after the other. */
const LOOPBACK = ['127.0.0.1', '::1']
/** Addresses that take all of their kind; `::` takes those of the other kind too. */
const COVERED: Readonly<Record<string, readonly string[]>> = { '0.0.0.0': ['127.0.0.1'], '::': LOOPBACK }
/** A machine without IPv6 has no `::1`, so nobody else can listen there either. */
const NOT_THERE = ['EADDRNOTAVAIL', 'EAFNOSUPPORT']
/** How often another port is tried where the system chose one that is taken at the other address. */
const TRIES = 20

/** A loopback address at which the hub should listen, and another program does. */
export class LoopbackTaken extends Error {
  override readonly name = 'LoopbackTaken'
  readonly code = 'EADDRINUSE'
  readonly syscall = 'listen'
  constructor(address: string, port: number) {
    super(
      `Another program listens at port ${port} of ${address}, so links to localhost could lead to it instead of the hub.`,
    )
  }
}

export interface Listening {
  readonly url: string
  /** Takes no connection more at the addresses beside the first, and waits until the last one there has ended. */
  close(): Promise<void>
}

/**
 * Listens at the address that was asked for and at both of `localhost`, under one port. Whoever could listen at one
 * of them would get what a browser sends to a name of this machine, one-time links of the owner's included.
 */
export async function listenEverywhere(
  app: FastifyInstance,
  { host: asked, port }: { host: string; port: number },
): Promise<Listening> {
  await app.ready()
  const host = asked === 'localhost' ? '127.0.0.1' : asked
  const besides = LOOPBACK.filter((address) => address !== host && !COVERED[host]?.includes(address))
  for (let tries = 1; ; tries++) {
    const servers: Server[] = []
    try {
      const chosen = await listenBeside(app, servers, besides, port)
      const url = await app.listen({ host, port: chosen })
      return { url, close: () => closeAll(servers) }
    } catch (error) {
      await closeAll(servers)
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (port !== 0 || !isTaken || tries === TRIES) throw error
    }
  }
}

/** Hands what comes in at these addresses to the hub's server; answers the port, chosen where none was asked for. */
async function listenBeside(
  app: FastifyInstance,
  servers: Server[],
  addresses: readonly string[],
  port: number,
): Promise<number> {
  let chosen = port
  for (const address of addresses) {
    const server = createServer({ allowHalfOpen: true, noDelay: true }, (socket) =>
      app.server.emit('connection', socket),
    )
    try {
      server.listen({ host: address, port: chosen })
      await once(server, 'listening')
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException
      if (NOT_THERE.includes(code)) continue
      throw code === 'EADDRINUSE' ? new LoopbackTaken(address, chosen) : error
    }
    servers.push(server)
    chosen = (server.address() as AddressInfo).port
  }
  return chosen
}

async function closeAll(servers: readonly Server[]): Promise<void> {
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))))
}
