/** For looking through a whole tree; what was found until then is the answer. */
export const TREE_TIME_LIMIT_MS = 10_000
/** For the parser on one file; a file that takes longer is skipped. */
export const PARSE_TIME_LIMIT_MS = 5_000
/** After this the program is ended, whatever it is doing. */
export const TREE_END_MS = 25_000
/** How often a program that a file brought down is started anew in one call. */
export const RESTART_LIMIT = 3

/** Larger files are skipped. */
export const PARSED_MAX_BYTES = 1024 * 1024
export const FILES_LIMIT = 200_000
/** Files that are parsed in one call. */
export const CANDIDATE_LIMIT = 5_000
/** Names of files without a parser in one answer. */
export const UNSUPPORTED_SHOWN = 20

/** Programs at work at once, and calls that wait for one. */
export const RUNNING_LIMIT = 2
export const WAITING_LIMIT = 20
/** One line of the program's answer. */
export const LINE_MAX_CHARS = 32 * 1024 * 1024
/** Of its own heap; parsers take theirs beside it. */
export const HEAP_LIMIT_MB = 512
