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
/** A full likeness of vectors weighs as much as so many times all words. */
export const VECTOR_WEIGHT = 1.5
/** A chunk with none of the words has to be at least so like the query. */
export const VECTOR_FLOOR = 0.15
/** Taken from a test unless tests are asked for. */
export const TEST_MALUS = 0.4
/** Taken from prose where the query reads like a description of code, and given where it reads like a heading. */
export const PROSE_MALUS = 0.25
export const PROSE_BONUS = 0.28
/** Taken from a log of changes, which has a word on everything, unless changes are asked for. */
export const CHANGES_MALUS = 0.5
/** Taken for every better hit from the same document, so that one document does not fill the list. */
export const CROWD_MALUS = 0.05
/** The same for a query that tells of a change: it asks for documents, wherever in them the place may be. */
export const CHANGE_CROWD_MALUS = 0.3
/** Given where the name is just what was asked for, and where only its words are. */
export const SYMBOL_BONUS = 3
export const DEFINITION_BONUS = 1.5
export const MENTION_BONUS = 0.5
export const SAME_WORDS_BONUS = 0.5
