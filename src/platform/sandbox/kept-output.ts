import { StringDecoder } from 'node:string_decoder'

/** The bounded memory of one output stream. */
export interface KeptOutput {
  /** Takes a piece and answers the text of it that is kept at the front. */
  add(piece: Buffer): string
  /** All bytes that came, kept or not. */
  total(): number
  dropped(): number
  text(): string
}

// Many small pieces are packed now and then: each costs more than the bytes in it.
const PIECES_MAX = 1_000

/** Keeps the first `limit` bytes of a stream, or the first and the last half of them, whole characters only. */
export function keepOutput(limit: number, keep: 'head' | 'both_ends' = 'head'): KeptOutput {
  const head_limit = keep === 'head' ? limit : Math.ceil(limit / 2)
  const tail_limit = limit - head_limit
  const decoder = new StringDecoder('utf8')
  let head: Buffer[] = []
  let head_bytes = 0
  let tail: Buffer[] = []
  let tail_bytes = 0
  let total = 0

  const addTail = (piece: Buffer): void => {
    if (tail_limit === 0 || piece.length === 0) return
    tail.push(piece)
    tail_bytes += piece.length
    if (tail_bytes <= tail_limit * 2 && tail.length < PIECES_MAX) return
    tail = [lastOf(tail, tail_limit)]
    tail_bytes = Math.min(tail_bytes, tail_limit)
  }
  return {
    add(piece) {
      total += piece.length
      const front = piece.subarray(0, head_limit - head_bytes)
      head_bytes += front.length
      if (front.length > 0) head.push(front)
      if (head.length >= PIECES_MAX) head = [Buffer.concat(head)]
      addTail(piece.subarray(front.length))
      return decoder.write(front)
    },
    total: () => total,
    dropped: () => Math.max(0, total - head_bytes - Math.min(tail_bytes, tail_limit)),
    text() {
      const end = lastOf(tail, tail_limit)
      const left_out = total - head_bytes - end.length
      if (left_out <= 0) return wholeCharacters(Buffer.concat([...head, end]))
      const front = wholeCharacters(Buffer.concat(head))
      if (tail_limit === 0) return front
      return `${front}\n… ${left_out} bytes left out …\n${wholeCharacters(fromCharacterStart(end))}`
    },
  }
}

function lastOf(pieces: readonly Buffer[], bytes: number): Buffer {
  return bytes === 0 ? Buffer.alloc(0) : Buffer.concat(pieces).subarray(-bytes)
}

// Leaves a character out that is not all there, rather than showing a sign for it.
function wholeCharacters(bytes: Buffer): string {
  return new StringDecoder('utf8').write(bytes)
}

function fromCharacterStart(bytes: Buffer): Buffer {
  let start = 0
  while (start < 4 && start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start++
  return bytes.subarray(start)
}
