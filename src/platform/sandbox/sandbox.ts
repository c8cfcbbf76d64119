/** One folder or file of the host that a sandboxed command sees, under the same path. */
export interface SandboxMount {
  readonly path: string
  readonly access: 'read' | 'write'
  /** Another folder of the host that is shown there instead; no agent may have a hand in what it is called. */
  readonly content_path?: string
  /** The path is real as it stands: where a link is met on it, somebody put it there, and nothing is run. */
  readonly is_real?: boolean
  /** Where the path was found to lead: nothing is run where it leads elsewhere by now. */
  readonly real_path?: string
  /** What its holder knows to lie there: nothing else is mounted. */
  readonly folder?: { readonly dev: bigint; readonly ino: bigint }
}

/** What a command may reach and use. Whatever is not named is not there. */
export interface SandboxProfile {
  readonly mounts: readonly SandboxMount[]
  /**
   * Files and folders below the mounts that must look empty and stay unwritable, whether or not they
   * exist yet: nothing can be created under these names either. One that does not exist stands there as
   * an empty file for the time of the run, or as an empty folder when written with a slash at its end.
   * The kernel takes a cover away when the host itself replaces what is under it during the run.
   */
  readonly masked: readonly string[]
  /** Files of the host put over others, read-only: `[what is shown, where]`. */
  readonly overlays: readonly { readonly content_path: string; readonly at: string }[]
  /** Folders or files below a writable mount that stay read-only. */
  readonly read_only: readonly string[]
  /**
   * For one program that is trusted: of the system it gets its libraries, `/dev/null` and `/dev/urandom`, no
   * /proc, no /tmp, no home and no limits of its own. Such a sandbox stands in half the time.
   */
  readonly bare?: boolean
  readonly network: boolean
  readonly cwd: string
  /** The whole environment; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>
}

export interface CommandLimits {
  readonly timeout_ms: number
  /** Kept of each stream; a command that writes much more is stopped. */
  readonly output_bytes: number
  /** Of all processes together: private and shared memory, and what lies in folders in memory. */
  readonly memory_bytes?: number
  readonly processes?: number
  /** By how much the folders that can be written may grow on the disk. */
  readonly disk_bytes?: number
  /** How many files and folders may be new in them. */
  readonly disk_files?: number
  /** Where less than this is free, a command may write only a little. */
  readonly disk_reserve_bytes?: number
  /** Which part of a stream is kept when it is longer: its beginning (if not said), or half of both ends. */
  readonly keep?: 'head' | 'both_ends'
}

/** What a command may take too much of. */
export type Limit = 'memory' | 'processes' | 'disk'

export interface CommandOutcome {
  /** `finished` has an exit code; the others were stopped with their whole process group. */
  readonly ended: 'finished' | 'timeout' | 'output_limit' | 'cancelled'
  readonly exit_code: number | null
  readonly signal: string | null
  readonly stdout: string
  readonly stderr: string
  /** Bytes that were written beyond what is kept. */
  readonly dropped_bytes: number
  readonly duration_ms: number
  /** Set when the command was ended because it took too much of this. */
  readonly limit_hit?: Limit
}

/** No sandbox to be had: the reason, and how to get one. */
export class SandboxUnavailable extends Error {
  override readonly name = 'SandboxUnavailable'
  /** How to get one, where that is known. */
  readonly remedy: string | undefined
  constructor(message: string, remedy?: string) {
    super(message)
    this.remedy = remedy
  }
}

export interface CommandOptions {
  readonly limits: CommandLimits
  readonly signal?: AbortSignal
  /** Written to the command and closed; without it the command reads an empty file. */
  readonly stdin?: string
  /** Told of output while it comes. */
  readonly onOutput?: (stream: 'stdout' | 'stderr', text: string) => void
  /** Told of the same output byte for byte, whether or not it is text. */
  readonly onBytes?: (stream: 'stdout' | 'stderr', piece: Buffer) => void
}

/** Who keeps a command's limits on memory, processes and processor: control groups below a folder, or the hub. */
export type LimitKeeper =
  | { readonly kind: 'kernel'; readonly folder: string }
  | { readonly kind: 'watcher'; readonly reason: string; readonly fix: string }

/** Runs commands in the operating system's sandbox. Probed once with the real profile. */
export interface Sandbox {
  /** Throws SandboxUnavailable with the reason when commands cannot be jailed here. */
  require(): Promise<void>
  run(profile: SandboxProfile, argv: readonly string[], options: CommandOptions): Promise<CommandOutcome>
}

/** A sandbox of this machine, which can also tell who keeps the limits here. */
export interface LimitedSandbox extends Sandbox {
  limitKeeper(): LimitKeeper
}
