import type { EmbedderSettings, StoreSettings } from '../../../platform/knowledge/stores/backend-settings.ts'
import type { IsolationLevel } from '../tool-context.ts'

/** A command of the project's own, as argument list; `{target}` stands for the target of the call. */
export interface ToolchainCommand {
  readonly argv: readonly string[]
  readonly timeout_seconds: number
  /** Variables that the command gets beside the fixed ones. */
  readonly env: Readonly<Record<string, string>>
}

export interface Toolchain {
  readonly test: ToolchainCommand | undefined
  readonly lint: ToolchainCommand | undefined
}

/** What `.flow/config.json` says, with the built-in lists already joined in. */
export interface ProjectPolicy {
  readonly isolation_level: IsolationLevel
  /** Absolute folders that may be read by every service. */
  readonly shared_roots: readonly string[]
  readonly block_patterns: readonly string[]
  /** Folders relative to a service. */
  readonly hard_link_stores: readonly string[]
  readonly whitelisted_binaries: readonly string[]
  readonly redact_patterns: readonly string[]
  /** Binaries that system tools may run through `sudo -n`. */
  readonly sudo_binaries: readonly string[]
  /** Units that `system_ctl` may ask about and restart. */
  readonly system_services: readonly string[]
  /** Per agent; nothing means no limit. */
  readonly calls_per_minute: number | undefined
  /** By how much a command may let the folders grow that it can write. */
  readonly disk_bytes: number
  /** What commands leave free on the disk. */
  readonly disk_reserve_bytes: number
  /** Names of remotes that `git_push` may use and their addresses. */
  readonly git_remotes: Readonly<Record<string, string>>
  /** Whether read-only git may run without a sandbox where none is to be had. */
  readonly allow_unsandboxed_git: boolean
  /** Exceptions from redaction by tool. */
  readonly redaction_exceptions: Readonly<Record<string, readonly string[]>>
  /** Folders of the project that every seat's knowledge tools cover, beside the built-in ones. */
  readonly knowledge_paths: readonly string[]
  /** What makes the vectors of the project's index, and where that is kept. */
  readonly knowledge_embedder: EmbedderSettings
  readonly knowledge_store: StoreSettings | undefined
  /** Connections whose records the project's agents find. */
  readonly knowledge_connections: readonly string[]
  readonly toolchainOf: (service_root: string) => Toolchain
  /** Changes with the file: audit records name it. */
  readonly revision: string
}
