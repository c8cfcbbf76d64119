/** Words longer than this are nobody's typing slip. */
const LENGTH_LIMIT = 64

/** The candidate that a mistyped word most likely meant, if any is near enough. */
export function findNearest(word: string, candidates: readonly string[]): string | undefined {
  // A single letter is as near to every other one.
  if (word.length > LENGTH_LIMIT || /^-?.$/.test(word)) return undefined
  const scored = candidates.map((candidate) => ({ candidate, distance: distanceOf(word, candidate) }))
  const best = scored.toSorted((a, b) => a.distance - b.distance)[0]
  if (best && best.distance <= Math.max(1, Math.floor(word.length / 3))) return best.candidate
  return word.length >= 3 ? candidates.find((candidate) => candidate.startsWith(word)) : undefined
}

/** How many letters must be added, dropped, changed or swapped with a neighbour. */
function distanceOf(a: string, b: string): number {
  let before: number[] = []
  let row = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const changed = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      const shifted = Math.min((row[j] as number) + 1, (next[j - 1] as number) + 1)
      const swaps = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
      const swapped = swaps ? (before[j - 2] as number) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(changed, shifted, swapped))
    }
    before = row
    row = next
  }
  return row[b.length] as number
}
