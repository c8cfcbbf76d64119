import type { QueryTerm } from '../ranking/understand-query.ts'
import { type ChunkTerms, stemsIn } from '../words/chunk-terms.ts'

/** PostgreSQL knows no later place, and takes no more than a megabyte of words. */
const PLACE_MAX = 16_383
const STEMS_MAX = 10_000
/** So far apart are the fields that no phrase reaches from one into the next. */
const GAP = 100
/** What PostgreSQL calls the fields. */
const WEIGHTS = { name: 'A', owner: 'B', path: 'C', body: 'D' } as const

/** The words of a chunk as a tsvector of PostgreSQL: split and stemmed here, as for every other store. */
export function renderTextVector(terms: ChunkTerms): string {
  const places = new Map<string, string[]>()
  let at = 1
  for (const field of ['name', 'owner', 'path', 'body'] as const) {
    for (const stem of stemsIn(terms, terms[field].slice(0, STEMS_MAX)))
      addPlace(places, stem, at++, WEIGHTS[field])
    at += GAP
  }
  return [...places].map(([stem, all]) => `${quoteLexeme(stem)}:${all.join(',')}`).join(' ')
}

function addPlace(places: Map<string, string[]>, stem: string, at: number, weight: string): void {
  const place = `${Math.min(at, PLACE_MAX)}${weight}`
  const known = places.get(stem)
  if (known) known.push(place)
  else places.set(stem, [place])
}

/** A query for chunks that have this stem. */
export function renderTermQuery({ stem }: Pick<QueryTerm, 'stem'>): string {
  return quoteLexeme(stem)
}

/** A query for chunks that have these stems one after the other. */
export function renderPhraseQuery(stems: readonly string[]): string {
  return stems.map(quoteLexeme).join(' <-> ')
}

function quoteLexeme(stem: string): string {
  return `'${stem.replace(/['\\]/g, '$&$&')}'`
}
