/** Kept of each stream while a command runs; a stream that grows far beyond ends the command. */
export const OUTPUT_BYTES = 1024 * 1024
export const MEMORY_BYTES = 4 * 1024 * 1024 * 1024
export const PROCESSES = 1_024
export const INSTALL_TIMEOUT_MS = 600_000
/** Shown of each end of a stream that is longer than both together, where the call says nothing else. */
export const DEFAULT_EDGE_LINES = 50
export const STRATEGY_LINES_MAX = 10_000
/** Longer lines are cut. */
export const LINE_CHARACTERS_MAX = 2_000
export const TARGET_CHARACTERS_MAX = 1_024
/** Folders that are looked through for closed names before a command starts. */
export const FOLDERS_MAX = 40_000
/** Closed names that can be covered in one run. */
export const CLOSED_MAX = 300
export const LOCKFILE_BYTES_MAX = 16 * 1024 * 1024
export const MANIFEST_BYTES_MAX = 1024 * 1024
/** Manifests of one service: its own, and those of the packages in it. */
export const MANIFESTS_MAX = 500
export const LOCKFILE_PACKAGES_MAX = 50_000
export const LOCKFILE_LINES_MAX = 500_000
export const TOOLCHAIN_FOLDERS_MAX = 20
/** Python environments of one service. */
export const ENVIRONMENTS_MAX = 10
