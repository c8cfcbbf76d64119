import { CommandFailure } from '../cli-errors.ts'

const PROBE_MS = 2_000

/** What OpenSSL calls a first answer that is no part of TLS. */
const NOT_TLS = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG', 'ERR_SSL_HTTP_REQUEST']

/** Why no hub answered at an address, and what to do where the address begins with the wrong word. */
export async function unreachableHub(
  base: string,
  error: Error,
  timeout_ms: number,
): Promise<CommandFailure> {
  if (error.name === 'TimeoutError') {
    const waited = `The hub at ${base} did not answer in ${timeout_ms / 1_000} s.`
    return new CommandFailure('HUB_UNREACHABLE', waited)
  }
  const { code } = (error.cause ?? {}) as NodeJS.ErrnoException
  if (code !== undefined && NOT_TLS.includes(code)) return speaksPlainly(base, code)
  if (code !== 'ECONNREFUSED' && (await speaksTls(base))) return speaksTlsInstead(base)
  return new CommandFailure('HUB_UNREACHABLE', `No hub answers at ${base}${code ? ` (${code})` : ''}.`)
}

function speaksPlainly(base: string, code: string): CommandFailure {
  const plain = base.replace(/^https:/, 'http:')
  return new CommandFailure(
    'HUB_UNREACHABLE',
    `What answers at ${base} does not speak TLS (${code}).`,
    `A hub by itself speaks plain http: on its own machine use ${plain}; from elsewhere put TLS in front of it.`,
  )
}

/** The failure to be told where somebody typed http:// and TLS is spoken there. */
export function speaksTlsInstead(base: string): CommandFailure {
  return new CommandFailure(
    'HUB_UNREACHABLE',
    `What answers at ${base} speaks TLS, not plain http.`,
    `Use ${base.replace(/^http:/, 'https:')}, or the address that \`knowtation serve\` printed.`,
  )
}

/** Whether TLS is spoken at an http:// address. Nothing is sent there, so it does not matter whose certificate it is. */
export async function speaksTls(base: string): Promise<boolean> {
  const { protocol, hostname, port } = new URL(base)
  if (protocol !== 'http:') return false
  const { connect } = await import('node:tls')
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const socket = connect({ host, port: Number(port || 80), rejectUnauthorized: false })
  return new Promise<boolean>((resolve) => {
    socket.setTimeout(PROBE_MS, () => resolve(false))
    socket.once('secureConnect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => resolve(false))
  }).finally(() => socket.destroy())
}
