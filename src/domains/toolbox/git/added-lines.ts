/** A run of lines as a file has them after a change: what was added and what stands around it. */
export interface ChangedRun {
  readonly path: string
  readonly lines: readonly { readonly number: number; readonly text: string; readonly is_added: boolean }[]
}

const HUNK = /^@@ -\d+(?:,\d+)? \+(\d+)(?:,\d+)? @@/

/** Reads a patch as `git diff` prints it. Files that git takes for binary have no lines in it. */
export function parseAddedLines(patch: string): ChangedRun[] {
  const runs: { path: string; lines: { number: number; text: string; is_added: boolean }[] }[] = []
  let path: string | undefined
  let number = 0
  for (const line of patch.split('\n')) {
    const start = HUNK.exec(line)?.[1]
    if (line.startsWith('diff --')) [path, number] = [undefined, 0]
    else if (number === 0 && line.startsWith('+++ ')) path = targetOf(line)
    else if (start !== undefined && path !== undefined) {
      number = Number(start)
      runs.push({ path, lines: [] })
    } else if (number > 0 && /^[+ ]/.test(line)) {
      runs.at(-1)?.lines.push({ number: number++, text: line.slice(1), is_added: line.startsWith('+') })
    }
  }
  return runs
}

function targetOf(line: string): string | undefined {
  const printed = findPath(line.slice('+++ '.length).replace(/\t$/, ''))
  return printed?.startsWith('b/') ? printed.slice(2) : undefined
}

const ESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13 }

/** Reads a path as git prints it: as it is, or in quotes with backslashes. Undefined for a broken quote. */
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
