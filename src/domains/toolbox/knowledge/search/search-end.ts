import type { KnowledgeHit } from '../../../../platform/knowledge/knowledge.ts'
import { understandQuery } from '../../../../platform/knowledge/ranking/understand-query.ts'

/** With a likeness below this, and most of the words missing, the best result is no answer. */
const LIKENESS_MIN = 0.35

/** A quoted text that is nowhere, asked for by its words; nothing for a query that quotes none. */
export function withoutQuotes(query: string): string | undefined {
  return understandQuery(query).form === 'quoted' ? query.replaceAll('"', ' ').trim() : undefined
}

/** What is said where a quoted text is nowhere. */
export function tellNowhere(query: string, hits: readonly KnowledgeHit[]): string {
  const quoted = understandQuery(query)
    .literals.map((literal) => JSON.stringify(literal))
    .join(' and ')
  return hits.length > 0
    ? `No text that you may see has ${quoted} as it stands. The results are nearest to its words.`
    : `No text that you may see has ${quoted} as it stands, and none is near to its words.`
}

/** What is said where nothing, or nothing much, speaks for the best result. */
export function tellFit([best]: readonly KnowledgeHit[]): string | undefined {
  if (!best)
    return 'Nothing that you may see fits: no text has these words, and none is near to their meaning.'
  const found = listWords(best, 'words: ')
  const missing = listWords(best, 'without: ')
  const likeness = Number(listWords(best, 'vector: ')[0] ?? 0)
  if (missing.length < 2 || missing.length < found.length * 2 || likeness >= LIKENESS_MIN) return undefined
  return `Nothing fits well: the best result has none of ${missing.join(', ')}.`
}

function listWords({ reasons }: KnowledgeHit, label: string): string[] {
  const reason = reasons.find((one) => one.startsWith(label))
  return reason === undefined ? [] : reason.slice(label.length).split(', ')
}
