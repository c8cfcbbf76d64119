/** What the ranking was tuned to by `bench/knowledge-ranking.ts`. A change of these needs that run again. */

/** How much a word counts by where it stands: in the text, in the name, in the names around it, in the path. */
export const FIELD_WEIGHTS = { body: 1, name: 8, owner: 4, path: 8 } as const
/** A section says at once what it is about: so many of its first words count so much more. */
export const LEAD_WORDS = 25
export const LEAD_WEIGHT = 3
/** How soon more of the same word stops to count, and how far a long text is held against it. */
export const SATURATION = 0.9
export const LENGTH_SHARE = 0.5
/** How much of the words' share depends on how many of the query's words are there at all. */
export const COVERAGE_SHARE = 0.2
/** A chunk with none of the words has to be at least so like the query. */
export const VECTOR_FLOOR = 0.15
/** Taken from prose where the query reads like a description of code, and given where it reads like a heading. */
export const PROSE_MALUS = 0.25
export const PROSE_BONUS = 0.28
/** Taken from a log of changes, which has a word on everything, unless changes are asked for. */
export const CHANGES_MALUS = 0.5
/**
 * What counts by what a query is like. A description of code is far from its words; one of a change names things as
 * they are called and asks for documents, wherever in them the place may be.
 *
 * - `vector`: a full likeness of vectors weighs as much as so many times all words.
 * - `test`: taken from a test unless tests are asked for.
 * - `crowd`: taken for every better hit from the same document, so that one document does not fill the list.
 * - `kin`: so much of the other hits of the same document is given to each.
 */
export const LEANINGS = {
  code: { vector: 1.5, test: 0.4, crowd: 0.05, kin: 0.06 },
  prose: { vector: 1.1, test: 0.4, crowd: 0.05, kin: 0 },
  change: { vector: 0.55, test: 0.3, crowd: 0.5, kin: 0.18 },
} as const
/** How much less each further hit of a document says for the others. */
export const KIN_FADE = 0.5
/** Given where the name is just what was asked for, and where only its words are. */
export const SYMBOL_BONUS = 3
export const DEFINITION_BONUS = 1.5
export const MENTION_BONUS = 0.5
export const SAME_WORDS_BONUS = 0.5
