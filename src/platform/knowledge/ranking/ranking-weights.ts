/** What the ranking was tuned to by `bench/knowledge-ranking.ts`. A change of these needs that run again. */

/** How much a word counts by where it stands: in the text, in the name, in the names around it, in the path. */
export const FIELD_WEIGHTS = { body: 1, name: 8, owner: 4, path: 8 } as const
/** A section says at once what it is about: so many of its first words count so much more. */
export const LEAD_WORDS = 25
export const LEAD_WEIGHT = 3
/** How much of the words' share depends on how many of the query's words are there at all. */
export const COVERAGE_SHARE = 0.2
/** A chunk with none of the words has to be at least so like the query, and more so for each ten times as many chunks. */
export const VECTOR_FLOOR = 0.15
export const VECTOR_FLOOR_GROWTH = 0.06
/** Taken from a section of fewer words: a heading with others under it, or a line that leads elsewhere. */
export const THIN_WORDS = 10
export const THIN_MALUS = 0.3
/** So many links within the document make a table of contents, which is no better. */
export const CONTENTS_LINKS = 5
/** Taken from what a tool made: it comes behind all that people wrote. */
export const MADE_MALUS = 4
/** Taken from logs of changes, licences and rules of conduct unless they are asked for: they come last. */
export const ASIDE_MALUS = 1.5
/**
 * What counts by what a query is like. A description of code is far from its words; one of a change names things as
 * they are called and asks for documents, wherever in them the place may be.
 *
 * - `vector`: a full likeness of vectors weighs as much as so many times all words.
 * - `rarity`: the power that the rarity of a word counts with. Below 1 the rarest word of a sentence decides less: in
 *   code it is often one that only comments have.
 * - `saturation`, `length_share`: how soon more of the same word stops to count, and how far a long text is held
 *   against it. Of prose it says most that a word is there at all.
 * - `prose`: given to prose where the query asks for it; `off_prose`: taken from it where it does not.
 * - `config`: taken from settings; `beside`: from examples, measurements and declarations.
 * - `test`: taken from a test unless tests are asked for.
 * - `mention`: given to what a name in the query is the name of. A description of code rather names what it works on.
 * - `file_name`: given to a file all of whose name is in the query.
 * - `crowd`: taken for every better hit from the same document, so that one document does not fill the list.
 * - `kin`: so much of the other hits of the same document is given to each.
 */
export const LEANINGS = {
  code: {
    vector: 1.5,
    rarity: 0.6,
    saturation: 0.9,
    length_share: 0.5,
    prose: 0,
    off_prose: 0.4,
    config: 0,
    beside: 0.5,
    test: 0.6,
    mention: 0,
    file_name: 0,
    crowd: 0.05,
    kin: 0.06,
  },
  prose: {
    vector: 1.4,
    rarity: 1,
    saturation: 0.5,
    length_share: 0.7,
    prose: 0.6,
    off_prose: 0.25,
    config: 0,
    beside: 0.1,
    test: 0.6,
    mention: 0,
    file_name: 0,
    crowd: 0.05,
    kin: 0.05,
  },
  question: {
    vector: 1.2,
    rarity: 0.8,
    saturation: 0.9,
    length_share: 0.5,
    prose: 0,
    off_prose: 0.6,
    config: 0.3,
    beside: 0.5,
    test: 0.8,
    mention: 0,
    file_name: 0,
    crowd: 0.15,
    kin: 0.11,
  },
  change: {
    vector: 0.55,
    rarity: 0.4,
    saturation: 0.6,
    length_share: 0.4,
    prose: 0.05,
    off_prose: 0.25,
    config: 0,
    beside: 0.1,
    test: 0.5,
    mention: 0.3,
    file_name: 0.2,
    crowd: 0.5,
    kin: 0.18,
  },
} as const
/** How much less each further hit of a document says for the others. */
export const KIN_FADE = 0.5
/** Given where the name is just what was asked for, by a name or by a word that is one, and where only its words are. */
export const SYMBOL_BONUS = 3
export const ONE_WORD_BONUS = 1.4
export const DEFINITION_BONUS = 1.5
export const DECLARATION_BONUS = 1.2
export const MENTION_BONUS = 0.5
/** Taken from a test where a name alone is asked for. */
export const NAMED_IN_TEST_MALUS = 1.8
export const SAME_WORDS_BONUS = 0.5
/** Given to a test whose title the query is, from so many words on. */
export const TITLE_BONUS = 1.5
export const TITLE_WORDS = 3
export const SHORT_TITLE_BONUS = 0.9
/** Given on top where the query is the title word for word, and has at least so many words. */
export const WORDING_BONUS = 0.9
/** Among those of one name: given to what has a comment, and taken from the later parts of a long one. */
export const DOCUMENTED_BONUS = 0.15
export const LATER_PART_MALUS = 0.5
