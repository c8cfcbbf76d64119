import type { Chunk } from '../src/platform/knowledge/knowledge.ts'
import { splitTerms } from '../src/platform/knowledge/words/split-terms.ts'

const SATURATION = 1.2
const LENGTH_SHARE = 0.75

/** A chunk with the document it is from. */
export interface PlacedChunk extends Chunk {
  path: string
}

/** Plain BM25 over the words of chunks, identifiers split: no stems, no names, no vectors. */
export function openPlainSearch(chunks: readonly PlacedChunk[]) {
  const places = new Map<string, Map<number, number>>()
  const lengths = chunks.map(({ text }, at) => {
    const terms = splitTerms(text)
    for (const term of terms) {
      const counts = places.get(term) ?? new Map<number, number>()
      counts.set(at, (counts.get(at) ?? 0) + 1)
      places.set(term, counts)
    }
    return terms.length
  })
  const average = lengths.reduce((sum, length) => sum + length, 0) / Math.max(1, lengths.length)
  return (query: string, limit: number): PlacedChunk[] => {
    const scores = new Map<number, number>()
    for (const term of new Set(splitTerms(query))) {
      const counts = places.get(term)
      if (!counts) continue
      const rarity = Math.log(1 + (chunks.length - counts.size + 0.5) / (counts.size + 0.5))
      for (const [at, count] of counts) {
        const drag = SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * (lengths[at] ?? 0)) / average)
        scores.set(at, (scores.get(at) ?? 0) + (rarity * count * (SATURATION + 1)) / (count + drag))
      }
    }
    const best = [...scores].toSorted((a, b) => b[1] - a[1] || a[0] - b[0]).slice(0, limit)
    return best.flatMap(([at]) => chunks[at] ?? [])
  }
}
