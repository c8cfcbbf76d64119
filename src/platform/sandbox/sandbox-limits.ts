/** Room in the private `/tmp`. */
export const TMP_BYTES = 512 * 1024 * 1024
/** Room in the private home folder. */
export const HOME_BYTES = 512 * 1024 * 1024
/** Room for shared memory. */
export const SHM_BYTES = 256 * 1024 * 1024
/** No single file that a command writes may grow beyond this. */
export const FILE_BYTES = 4 * 1024 * 1024 * 1024
/** Signals on their way and timers of the user, whom the hub and other programs may share: less than there are. */
export const PENDING_SIGNALS = 8_192
/** The same of its POSIX queues of messages. */
export const QUEUE_BYTES = 400_000
/** A stream that grows beyond its limit times this ends its command. */
export const OUTPUT_STOP_FACTOR = 16
/** Between the polite signal and the last one. */
export const STOP_GRACE_MS = 2_000
/** How long the streams of an ended command may stay open. */
export const CLOSE_GRACE_MS = 5_000
/** How long the kernel may take to end what an ended command left behind. */
export const NAMESPACE_END_MS = 10_000
/** The kernel counts threads, and runtimes start a dozen of them for each process. */
export const THREADS_PER_PROCESS = 16
/** How often memory and processes are counted. */
export const USAGE_EVERY_MS = 50
/** A look that takes long is followed by a pause of this many times its length, but not longer than that. */
export const LOOK_PAUSE_FACTOR = 4
export const LOOK_PAUSE_MAX_MS = 250
/** The same for counting pages, which takes longest. */
export const CLOSE_LOOK_PAUSE_FACTOR = 10
/** Where less of the machine's memory is free, the command that takes most is stopped: this share, or so much. */
export const MACHINE_RESERVE_SHARE = 0.05
export const MACHINE_RESERVE_MAX_BYTES = 512 * 1024 * 1024
/** A command that takes less is never the one that made the machine run short. */
export const SMALL_COMMAND_BYTES = 64 * 1024 * 1024
/** How often the disk is looked at. */
export const DISK_EVERY_MS = 100
/** A look at the folders is followed by a pause of this many times its length. */
export const DISK_PAUSE_FACTOR = 2
/** What a command may still write where the disk is nearly full. */
export const DISK_ALLOWANCE_BYTES = 64 * 1024 * 1024
/** Files and folders that may be new where nothing else is said. */
export const DISK_FILES = 1_000_000
/** Names that are looked at in one go. */
export const DISK_NAMES_AT_ONCE = 500
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
