import { KNOWLEDGE_KINDS } from './knowledge.ts'
import type { AverageLengths } from './rank-candidates.ts'

/** How many chunks of a kind there are, and how many terms all of them have. */
export interface KindLength {
  readonly kind: string
  readonly chunks: number
  readonly terms: number
}

/** The average length of a chunk of each kind; 0 where there is none. */
export function averageLengths(lengths: readonly KindLength[]): AverageLengths {
  const averages = KNOWLEDGE_KINDS.map((kind) => {
    const own = lengths.filter((one) => one.kind === kind)
    const terms = own.reduce((sum, one) => sum + one.terms, 0)
    const chunks = own.reduce((sum, one) => sum + one.chunks, 0)
    return [kind, terms / Math.max(1, chunks)]
  })
  return Object.fromEntries(averages)
}
