import { type AddressInfo, Server } from 'node:net'

/** Loaded before a peer's own code: whatever it asks for, it listens on a free loopback port and tells which. */
const listen = Server.prototype.listen

Server.prototype.listen = function (this: Server, ...asked: unknown[]): Server {
  const done = asked.find((one) => typeof one === 'function') as (() => void) | undefined
  this.once('listening', () => {
    const { port } = this.address() as AddressInfo
    process.send?.({ url: `http://127.0.0.1:${port}` })
  })
  return listen.call(this, { host: '127.0.0.1', port: 0 }, done)
}

// Should whoever started it be killed, nobody else would end it.
process.once('disconnect', () => process.exit())
process.channel?.unref()
