/** Room in the private `/tmp`. */
export const TMP_BYTES = 512 * 1024 * 1024
/** Room in the private home folder. */
export const HOME_BYTES = 512 * 1024 * 1024
/** Room for shared memory. */
export const SHM_BYTES = 256 * 1024 * 1024
/** No single file that a command writes may grow beyond this. */
export const FILE_BYTES = 4 * 1024 * 1024 * 1024
/** A stream that grows beyond its limit times this ends its command. */
export const OUTPUT_STOP_FACTOR = 16
/** Between the polite signal and the last one. */
export const STOP_GRACE_MS = 2_000
/** How long the streams of an ended command may stay open. */
export const CLOSE_GRACE_MS = 5_000
/** How often memory and processes are counted. */
export const USAGE_EVERY_MS = 100
/** How long the first trial of the sandbox may take. */
export const PROBE_MS = 15_000
/** What bwrap may say about a sandbox it could not set up. */
export const COMPLAINT_BYTES = 8 * 1024
/** Mounts, masks, overlays and read-only paths of one profile together. */
export const PROFILE_PATHS_MAX = 2_000
/** Arguments of one command, all together. */
export const ARGUMENT_BYTES_MAX = 128 * 1024
/** Descriptors above this that were handed to this process are not expected. */
export const INHERITED_FD_MAX = 4_096
