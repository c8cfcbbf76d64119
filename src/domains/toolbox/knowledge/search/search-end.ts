import type { KnowledgeHit } from '../../../../platform/knowledge/knowledge.ts'
import { understandQuery } from '../../../../platform/knowledge/ranking/understand-query.ts'

/** With a likeness below this, and most of the words missing, the best result is no answer. */
const LIKENESS_MIN = 0.35

/** A quoted text that is nowhere, asked for by its words; undefined for a query that quotes none. */
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
export function tellFit(query: string, hits: readonly KnowledgeHit[]): string | undefined {
  const [best] = hits
  if (!best)
    return 'Nothing that you may see fits: no text has these words, and none is near to their meaning.'
  const { form, literals } = understandQuery(query)
  const [name = ''] = literals
  if (form === 'identifier' && !hits.some((hit) => isAbout(hit, name)))
    return `No text that you may see names ${name}. The results have words of it.`
  const missing = listWords(best, 'without: ')
  if (missing.length > 0 && hits.every((hit) => listWords(hit, 'words: ').length === 0))
    return `No result has ${missing.join(' or ')}: they are near to it in meaning or letters at most.`
  const found = listWords(best, 'words: ')
  const likeness = Number(listWords(best, 'vector: ')[0] ?? 0)
  if (missing.length < 2 || missing.length < found.length * 2 || likeness >= LIKENESS_MIN) return undefined
  return `Nothing fits well: the best result has none of ${missing.join(', ')}.`
}

/** Whether a result is called so, or has the name as it is written. */
function isAbout({ text, path, reasons }: KnowledgeHit, name: string): boolean {
  return text.includes(name) || path.includes(name) || reasons.some((reason) => reason.startsWith('symbol: '))
}

function listWords({ reasons }: KnowledgeHit, label: string): string[] {
  const reason = reasons.find((one) => one.startsWith(label))
  return reason === undefined ? [] : reason.slice(label.length).split(', ')
}
