import { connect } from 'node:net'

export interface RawReply {
  status: number
  headers: Record<string, string>
  body: string
  /** Everything that came back, further answers included. */
  raw: string
}

const ANSWER_LIMIT_MS = 8_000
/** An event stream may be kept open after its last event; it is over when it was quiet for so long. */
const QUIET_STREAM_MS = 300

/** Sends bytes exactly as they are and reads until the hub hangs up. */
export function sendRaw(url: string, ...parts: (string | Buffer)[]): Promise<RawReply> {
  const { port } = new URL(url)
  return new Promise((resolve, reject) => {
    const socket = connect({ host: '127.0.0.1', port: Number(port) })
    const received: Buffer[] = []
    const timer = setTimeout(() => {
      socket.destroy()
      reject(new Error(`No end of the answer: ${Buffer.concat(received).toString()}`))
    }, ANSWER_LIMIT_MS)
    socket.on('data', (part) => {
      received.push(part)
      if (part.includes('text/event-stream')) setTimeout(() => socket.destroy(), QUIET_STREAM_MS)
    })
    // The hub may hang up on what it refuses while we still send.
    socket.on('error', () => {})
    socket.on('close', () => {
      clearTimeout(timer)
      resolve(parseReply(Buffer.concat(received).toString()))
    })
    for (const part of parts) socket.write(part)
  })
}

function parseReply(raw: string): RawReply {
  const split = raw.indexOf('\r\n\r\n')
  const [first = '', ...lines] = raw.slice(0, split).split('\r\n')
  const headers = lines.map((line) => {
    const colon = line.indexOf(':')
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
  })
  return {
    status: Number(first.split(' ')[1] ?? 0),
    headers: Object.fromEntries(headers),
    body: raw.slice(split + 4),
    raw,
  }
}

/** A request's head as text. Nothing is added to the lines but the blank one that ends them. */
export function head(...lines: string[]): string {
  return `${lines.join('\r\n')}\r\n\r\n`
}
