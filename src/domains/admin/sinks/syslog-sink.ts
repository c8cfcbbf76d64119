import { readFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { connect } from 'node:tls'
import type { LinkedRecord } from './record-shapes.ts'
import { severityOf } from './record-shapes.ts'

export interface SyslogPlace {
  readonly host: string
  readonly port: number
  /** A certificate that the server's is signed by, or is; the system's own unless told otherwise. */
  readonly ca_file?: string | undefined
  /** The name that the certificate has to bear, where it is not `host`. */
  readonly server_name?: string | undefined
}

/** Facility 13, the log audit, with the severity of RFC 5424. */
const FACILITY = 13
const SEVERITIES = { info: 6, warning: 4, error: 3 }
const CONNECT_MS = 10_000
/** So long a server may take until it has read a batch. */
const READ_MS = 30_000

/** A message of RFC 5424, with its length in front (RFC 6587): the lines of others cannot be taken for ends of it. */
export function frameOf(record: LinkedRecord, text: string): string {
  const priority = FACILITY * 8 + SEVERITIES[severityOf(record)]
  const head = `<${priority}>1 ${record.at} ${hostname() || '-'} knowtation ${process.pid} audit - `
  return `${Buffer.byteLength(head + text)} ${head}${text}`
}

/**
 * Sends frames over a TLS connection of their own and waits until the server has closed it in turn. The protocol knows
 * no receipt: that a server has come to our end of the connection says that it has read all before.
 */
export function sendFrames(
  { host, port, ca_file, server_name = host }: SyslogPlace,
  frames: readonly string[],
): Promise<void> {
  const ca = ca_file === undefined ? {} : { ca: readFileSync(ca_file) }
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const socket = connect({ host, port, servername: server_name, minVersion: 'TLSv1.2', ...ca })
  const fail = (error: Error) => {
    socket.destroy()
    reject(error)
  }
  socket.setTimeout(CONNECT_MS, () => fail(new Error('The syslog server does not answer.')))
  socket.once('error', fail)
  socket.once('secureConnect', () => {
    socket.setTimeout(READ_MS)
    socket.end(frames.join(''))
  })
  // What a server says is nothing to us, and its end comes only once that was read.
  socket.resume()
  socket.once('end', () => {
    if (!socket.writableFinished) fail(new Error('The syslog server closed the connection early.'))
  })
  socket.once('close', (hadError) => (hadError ? undefined : resolve()))
  return promise
}
