import type { Readable } from 'node:stream'

export interface OutputTail {
  text(): string
  /** Bytes that were written before what is kept. */
  dropped(): number
}

/** Reads a stream to its end and keeps only the last bytes. */
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
  return { text: () => kept().toString('utf8'), dropped: () => seen - kept().length }
}
