import type { IncomingHttpHeaders } from 'node:http'
import type { Transform } from 'node:stream'
import { TextDecoder } from 'node:util'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import type { UpstreamReason } from '../upstream-failure.ts'

export interface BodyReader {
  take(chunk: Buffer): void
  end(): void
  close(): void
}

export interface BodyEnds {
  done(text: string, bytes?: Buffer): void
  fail(reason: UpstreamReason): void
  pause(): void
  resume(): void
}

export interface BodyLimits {
  readonly limit_bytes: number
  watch?: (text: string) => boolean
  /** The body is wanted byte for byte: neither unpacked nor read as text. */
  readonly as_bytes?: boolean
}

const READABLE = /^(?:text\/[\w.+-]+|application\/(?:[\w.+-]+\+)?json)$/

/** The media type of an answer, without its parameters. */
export function mediaType(headers: IncomingHttpHeaders): string | undefined {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase()
}

/** Reads an answer's body as text: unpacked, counted while it comes, and only if it says it is text. */
export function openBody(headers: IncomingHttpHeaders, limits: BodyLimits, ends: BodyEnds): BodyReader {
  if (limits.as_bytes) return keepBytes(headers, limits, ends)
  const decoder = textDecoder(headers)
  const isEvents = mediaType(headers) === 'text/event-stream'
  let bytes = 0
  let text = ''
  const add = (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > limits.limit_bytes) return ends.fail('too_large')
    if (!decoder) return ends.fail('protocol')
    const part = decoder.decode(chunk, { stream: true })
    if (!isEvents || !limits.watch) text += part
    else if (limits.watch(part)) ends.done('')
  }
  const finish = () => ends.done(text + (decoder?.decode() ?? ''))
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding === 'identity') return { take: add, end: finish, close() {} }
  return unpack(encoding, add, finish, ends)
}

function keepBytes(headers: IncomingHttpHeaders, { limit_bytes }: BodyLimits, ends: BodyEnds): BodyReader {
  const isReadable = READABLE.test(mediaType(headers) ?? '')
  const chunks: Buffer[] = []
  let bytes = 0
  return {
    take(chunk) {
      bytes += chunk.length
      if (bytes > limit_bytes) ends.fail('too_large')
      else if (isReadable) chunks.push(chunk)
      else ends.fail('protocol')
    },
    end: () => ends.done('', Buffer.concat(chunks)),
    close() {},
  }
}

function textDecoder(headers: IncomingHttpHeaders): TextDecoder | undefined {
  if (!READABLE.test(mediaType(headers) ?? '')) return undefined
  const charset = /;\s*charset\s*=\s*"?([\w.:-]+)/i.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(charset)
  } catch {
    return undefined
  }
}

/** Unpacks as it comes: `add` counts what comes out, so a small body that grows is cut at the limit. */
function unpack(
  encoding: string,
  add: (chunk: Buffer) => void,
  finish: () => void,
  ends: BodyEnds,
): BodyReader {
  const stream = findUnpacker(encoding)
  if (!stream) {
    queueMicrotask(() => ends.fail('protocol'))
    return { take() {}, end() {}, close() {} }
  }
  stream.on('data', add)
  stream.on('end', finish)
  stream.on('error', () => ends.fail('protocol'))
  stream.on('drain', ends.resume)
  return {
    take(chunk) {
      if (!stream.write(chunk)) ends.pause()
    },
    end: () => void stream.end(),
    close: () => void stream.destroy(),
  }
}

function findUnpacker(encoding: string): Transform | undefined {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip()
  if (encoding === 'deflate') return createInflate()
  return encoding === 'br' ? createBrotliDecompress() : undefined
}
