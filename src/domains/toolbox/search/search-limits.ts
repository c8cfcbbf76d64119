import { PATTERN_TEXT_MAX_BYTES } from '../../../platform/patterns/patterns.ts'

/** Matches in one answer. */
export const MATCH_LIMIT = 200

/** All shown lines of one answer together. */
export const ANSWER_MAX_BYTES = 64 * 1024

/** A longer line is cut around its match. */
export const SNIPPET_MAX_BYTES = 400

/** Of a line that is cut, what is shown before the match. */
export const SNIPPET_BEFORE_BYTES = 120

/** Larger files are skipped. */
export const FILE_MAX_BYTES = PATTERN_TEXT_MAX_BYTES

export const FILES_LIMIT = 200_000

/** For a whole search; what was found until then is the answer. */
export const SEARCH_TIME_LIMIT_MS = 10_000

/** Threads at work on one search. */
export const PARTS_LIMIT = 8
