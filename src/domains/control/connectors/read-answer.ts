import type { IncomingHttpHeaders } from 'node:http'
import type { Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { type SourceAnswer, SourceFault } from './connector.ts'

/** An answer whose body has not been read. */
export interface WebAnswer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Readable
}

/** Reads an answer's body, unpacked and counted while it comes: one that grows is cut at the limit. */
export async function readAnswer(answer: WebAnswer, url: string, max_bytes: number): Promise<SourceAnswer> {
  const { status, headers, body } = answer
  const source = unpacked(body, String(headers['content-encoding'] ?? 'identity').toLowerCase())
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      bytes += chunk.length
      if (bytes > max_bytes) {
        throw new SourceFault('too_large', `The source sent more than ${max_bytes} bytes.`)
      }
      chunks.push(chunk)
    }
  } finally {
    source.destroy()
    body.destroy()
  }
  return { status, headers: toHeaders(headers), body: Buffer.concat(chunks), url }
}

function unpacked(body: Readable, encoding: string): Readable {
  if (encoding === 'identity' || encoding === '') return body
  const unpacker = findUnpacker(encoding)
  if (!unpacker) throw new SourceFault('bad_answer', 'The source packed its answer in an unknown way.')
  body.on('error', (error) => unpacker.destroy(error))
  return body.pipe(unpacker)
}

function findUnpacker(encoding: string): Transform | undefined {
  if (encoding === 'gzip' || encoding === 'x-gzip') return createGunzip()
  if (encoding === 'deflate') return createInflate()
  return encoding === 'br' ? createBrotliDecompress() : undefined
}

function toHeaders(given: IncomingHttpHeaders): Headers {
  const headers = new Headers()
  for (const [name, value] of Object.entries(given)) {
    for (const one of Array.isArray(value) ? value : [value ?? '']) headers.append(name, one)
  }
  return headers
}
