/** How many comparisons of two lines one answer may cost; what goes beyond is shown as replaced. */
export interface Budget {
  comparisons: number
}

/** One line of a comparison, marked as kept, taken away or added. */
export type DiffLine = `${' ' | '-' | '+'}${string}`

/** Compares two texts line by line, with as many lines kept as possible while the budget lasts. */
export function diffLines(before: readonly string[], after: readonly string[], budget: Budget): DiffLine[] {
  const start = countEqual(before, after, (lines, at) => lines[at])
  const rest = [before.slice(start), after.slice(start)] as const
  const end = countEqual(...rest, (lines, at) => lines[lines.length - 1 - at])
  const middle = rest.map((lines) => lines.slice(0, lines.length - end)) as [string[], string[]]
  const kept = (lines: readonly string[]) => lines.map((line): DiffLine => ` ${line}`)
  return [
    ...kept(before.slice(0, start)),
    ...diffMiddle(...middle, budget),
    ...kept(before.slice(before.length - end)),
  ]
}

function countEqual(
  before: readonly string[],
  after: readonly string[],
  lineAt: (lines: readonly string[], at: number) => string | undefined,
): number {
  const most = Math.min(before.length, after.length)
  let count = 0
  while (count < most && lineAt(before, count) === lineAt(after, count)) count++
  return count
}

function diffMiddle(before: string[], after: string[], budget: Budget): DiffLine[] {
  const cost = before.length * after.length
  if (cost === 0 || cost > budget.comparisons) {
    return [...before.map((line): DiffLine => `-${line}`), ...after.map((line): DiffLine => `+${line}`)]
  }
  budget.comparisons -= cost
  return walk(before, after, commonLengths(before, after))
}

/** For each pair of places, how many lines the two rests have in common, in order. */
function commonLengths(before: string[], after: string[]): Uint32Array[] {
  const table = Array.from({ length: before.length + 1 }, () => new Uint32Array(after.length + 1))
  for (let i = before.length - 1; i >= 0; i--) {
    const row = table[i] as Uint32Array
    const below = table[i + 1] as Uint32Array
    for (let j = after.length - 1; j >= 0; j--) {
      row[j] =
        before[i] === after[j]
          ? (below[j + 1] as number) + 1
          : Math.max(below[j] as number, row[j + 1] as number)
    }
  }
  return table
}

function walk(before: string[], after: string[], common: Uint32Array[]): DiffLine[] {
  const lines: DiffLine[] = []
  let [i, j] = [0, 0]
  const left = (row: number, column: number) => common[row]?.[column] ?? 0
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push(` ${before[i++]}`)
      j++
    } else if (i < before.length && (j >= after.length || left(i + 1, j) >= left(i, j + 1))) {
      lines.push(`-${before[i++]}`)
    } else {
      lines.push(`+${after[j++]}`)
    }
  }
  return lines
}
