import type { LineSieve } from './line-sieve.ts'
import { renderRedacted } from './render-redacted.ts'
import type { Scanner } from './scan.ts'

const NEWLINE = 10

/**
 * Redacts a text in bytes by a scanner at its beginning: only lines of interest and those that the scanner waits for
 * are made a text of.
 */
export function redactBytes(scanner: Scanner, sieve: LineSieve, bytes: Uint8Array): Uint8Array {
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const pieces: Uint8Array[] = []
  let done = 0
  const look = (from: number, to: number): number => {
    const { shown, is_clean } = renderRedacted(scanner, buffer.toString('utf8', from, to), true)
    if (!is_clean) {
      pieces.push(buffer.subarray(done, from), Buffer.from(shown))
      done = to
    }
    return to + 1
  }
  const watch = (from: number, stop: number) => {
    for (let at = from; at < stop && scanner.isWatching(); ) {
      const end = buffer.indexOf(NEWLINE, at)
      at = look(at, end < 0 ? buffer.length : end)
    }
  }
  const ranges = sieve.find(bytes) ?? [0, buffer.length]
  let next = 0
  for (let at = 0; at < ranges.length; at += 2) {
    const from = ranges[at] as number
    watch(next, from)
    next = look(from, ranges[at + 1] as number)
  }
  watch(next, buffer.length + 1)
  return pieces.length === 0 ? bytes : Buffer.concat([...pieces, buffer.subarray(done)])
}
