const NEWLINE = 10
/** Lines up to this size are taken without asking what is expected. */
const SMALL_LINE_BYTES = 65_536
const EDGE_BYTES = 256

export interface LineReader {
  line(text: string, bytes: number): void
  /** A line beyond the limit, of which only both ends were kept. */
  oversize(head: string, tail: string, bytes: number): void
  /** Bytes thrown away: of a line that has not ended yet, or a line with nothing on it. */
  discarded(bytes: number): void
  /** How large a line may be now. Asked only for lines that are not small. */
  limit_bytes(): number
}

/** Cuts a byte stream into lines, holding no more than the limit of any of them. */
export function splitLines(reader: LineReader): (chunk: Buffer) => void {
  let parts: Buffer[] = []
  let held_bytes = 0
  let skipped: { head: Buffer; tail: Buffer; bytes: number } | undefined

  const hold = (part: Buffer) => {
    if (part.length === 0) return
    if (skipped) return skip(part)
    parts.push(part)
    held_bytes += part.length
    if (held_bytes > SMALL_LINE_BYTES && held_bytes > reader.limit_bytes()) {
      const all = Buffer.concat(parts)
      skipped = { head: Buffer.from(all.subarray(0, EDGE_BYTES)), tail: Buffer.alloc(0), bytes: 0 }
      parts = []
      skip(all)
    }
  }
  const skip = (part: Buffer) => {
    if (!skipped) return
    skipped.bytes += part.length
    // A copy: a view would keep the whole chunk alive.
    skipped.tail = Buffer.from(Buffer.concat([skipped.tail, part]).subarray(-EDGE_BYTES))
    reader.discarded(part.length)
  }
  const finish = () => {
    const whole = parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts)
    const over = skipped
    parts = []
    held_bytes = 0
    skipped = undefined
    if (over) reader.oversize(over.head.toString(), over.tail.toString(), over.bytes)
    else if (whole.length > 0) reader.line(whole.toString('utf8'), whole.length)
    else reader.discarded(1)
  }
  return (chunk) => {
    let start = 0
    for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
      hold(chunk.subarray(start, end))
      finish()
      start = end + 1
    }
    hold(chunk.subarray(start))
  }
}
