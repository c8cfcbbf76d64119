/** Larger files are not indexed: they are data, or made by a program. */
export const FILE_MAX_BYTES = 1_048_576

/** Files of one project. */
export const FILES_MAX = 500_000

/** Changes below this age are within the grain of some file system's clock: another one may not show. */
export const SETTLED_AFTER_MS = 2_000

/** Paths that a run looks at one by one; of more, all files are compared. */
export const PATHS_MAX = 1_000

/** Lines in the log of what was left out. */
export const SKIPPED_LINES_MAX = 10_000
/** Fewer files are digested sooner than a thread has started. */
export const THREADS_FROM_FILES = 64
