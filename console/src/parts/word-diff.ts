export interface Piece {
  readonly kind: 'same' | 'add' | 'del'
  readonly text: string
}

/** Beyond this many comparisons the old text is shown as gone and the new one as come. */
const MOST_COMPARISONS = 1_000_000

/** What changed between two texts, word by word. Joined without what came it is the old text, without what went the new. */
export function wordDiff(before: string, after: string): Piece[] {
  const [old, fresh] = [wordsOf(before), wordsOf(after)]
  let start = 0
  while (start < old.length && start < fresh.length && old[start] === fresh[start]) start++
  let end = 0
  while (end < old.length - start && end < fresh.length - start && old.at(-1 - end) === fresh.at(-1 - end))
    end++
  const middle = between(old.slice(start, old.length - end), fresh.slice(start, fresh.length - end))
  return joined([
    { kind: 'same', text: old.slice(0, start).join('') },
    ...withoutCrumbs(middle),
    { kind: 'same', text: old.slice(old.length - end).join('') },
  ])
}

function wordsOf(text: string): string[] {
  return text.match(/\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu) ?? []
}

function between(old: readonly string[], fresh: readonly string[]): Piece[] {
  if (old.length * fresh.length > MOST_COMPARISONS)
    return [
      { kind: 'del', text: old.join('') },
      { kind: 'add', text: fresh.join('') },
    ]
  const lengths = commonLengths(old, fresh)
  const pieces: Piece[] = []
  let [i, j] = [0, 0]
  while (i < old.length || j < fresh.length) {
    const [left, right] = [old[i], fresh[j]]
    if (left !== undefined && left === right) {
      pieces.push({ kind: 'same', text: left })
      i++
      j++
    } else if (
      right === undefined ||
      (left !== undefined && at(lengths, i + 1, j) >= at(lengths, i, j + 1))
    ) {
      pieces.push({ kind: 'del', text: left as string })
      i++
    } else {
      pieces.push({ kind: 'add', text: right })
      j++
    }
  }
  return pieces
}

/** For each place in both texts: how many words the rests have in common, in order. */
function commonLengths(old: readonly string[], fresh: readonly string[]): Uint32Array[] {
  const rows = Array.from({ length: old.length + 1 }, () => new Uint32Array(fresh.length + 1))
  for (let i = old.length - 1; i >= 0; i--) {
    const row = rows[i] as Uint32Array
    for (let j = fresh.length - 1; j >= 0; j--) {
      row[j] =
        old[i] === fresh[j] ? at(rows, i + 1, j + 1) + 1 : Math.max(at(rows, i + 1, j), at(rows, i, j + 1))
    }
  }
  return rows
}

function at(rows: readonly Uint32Array[], i: number, j: number): number {
  return rows[i]?.[j] ?? 0
}

/** A blank between two changed words is no part that stayed: told apart it would make a text of crumbs. */
function withoutCrumbs(pieces: readonly Piece[]): Piece[] {
  const made: Piece[] = []
  let [gone, come] = ['', '']
  const flush = () => {
    made.push({ kind: 'del', text: gone }, { kind: 'add', text: come })
    gone = ''
    come = ''
  }
  for (const [place, { kind, text }] of pieces.entries()) {
    const isChanged = (piece: Piece | undefined) => piece !== undefined && piece.kind !== 'same'
    const isCrumb = /^\s+$/.test(text) && isChanged(pieces[place - 1]) && isChanged(pieces[place + 1])
    if (kind === 'same' && !isCrumb) {
      flush()
      made.push({ kind, text })
      continue
    }
    if (kind !== 'add') gone += text
    if (kind !== 'del') come += text
  }
  flush()
  return made
}

function joined(pieces: readonly Piece[]): Piece[] {
  const made: Piece[] = []
  for (const piece of pieces) {
    const last = made.at(-1)
    if (piece.text === '') continue
    if (last?.kind === piece.kind) made[made.length - 1] = { kind: piece.kind, text: last.text + piece.text }
    else made.push(piece)
  }
  return made
}
