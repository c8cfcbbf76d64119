const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }

/** Reads a path as git prints it: as it is, or in quotes with backslashes. Nothing for a broken quote. */
export function findPath(printed: string): string | undefined {
  if (!printed.startsWith('"')) return printed
  if (printed.length < 2 || !printed.endsWith('"')) return undefined
  const bytes: Buffer[] = []
  const inner = printed.slice(1, -1)
  for (const [piece] of inner.matchAll(/\\[0-3][0-7]{2}|\\.|[^\\]+|\\$/gs)) {
    const byte = piece.startsWith('\\') ? escapedByte(piece.slice(1)) : undefined
    if (piece.startsWith('\\') && byte === undefined) return undefined
    bytes.push(byte === undefined ? Buffer.from(piece) : Buffer.from([byte]))
  }
  return Buffer.concat(bytes).toString('utf8')
}

function escapedByte(escape: string): number | undefined {
  if (/^[0-3][0-7]{2}$/.test(escape)) return Number.parseInt(escape, 8)
  if (escape === '"' || escape === '\\') return escape.charCodeAt(0)
  return ESCAPES[escape]
}
