import type { Readable } from 'node:stream'

export interface OutputTail {
  text(): string
  /** Bytes that were written before what is kept. */
  dropped(): number
}

/** No secret is longer; a word without an end is not worth the whole stream. */
const HALF_WORD = /^\S{0,4096}/

/** Reads a stream to its end and keeps only the last bytes, from a whole word on: half a secret is not known for one. */
export function tailOf(stream: Readable, kept_bytes: number, onSeen: (bytes: number) => void): OutputTail {
  const chunks: Buffer[] = []
  let held = 0
  let seen = 0
  stream.on('error', () => {})
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    held += chunk.length
    seen += chunk.length
    while (held - (chunks[0]?.length ?? 0) >= kept_bytes) held -= chunks.shift()?.length ?? 0
    onSeen(seen)
  })
  const kept = () => Buffer.concat(chunks).subarray(-kept_bytes)
  const dropped = () => seen - kept().length
  return {
    text: () =>
      kept()
        .toString('utf8')
        .replace(dropped() > 0 ? HALF_WORD : '', ''),
    dropped,
  }
}
