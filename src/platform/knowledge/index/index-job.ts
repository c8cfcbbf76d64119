import type { KnowledgeBackends } from '../stores/backend-settings.ts'
import type { SkipReason } from '../walk/index-stamp.ts'

/** Paths that a run looks at one by one; of more, all files are compared. */
export const PATHS_MAX = 1_000

/** What a run of the indexer is to do, as plain data that goes to another process. */
export interface IndexJob {
  readonly project_root: string
  readonly block_patterns: readonly string[]
  readonly hard_link_stores: readonly string[]
  /** Absolute places that are closed wherever they lie, such as the hub's own home. */
  readonly closed_paths: readonly string[]
  readonly redact_patterns: readonly string[]
  /** Values of these are secrets, except for names that are known to hold none. */
  readonly environment: Readonly<Record<string, string>>
  /** Without it, what comes with the program. */
  readonly backends?: KnowledgeBackends
  /** Only these may have changed; without it all files are compared. */
  readonly paths?: readonly string[]
  /** Begins with an empty index; `damaged` where a search has found that the one there cannot be read. */
  readonly rebuild?: boolean | 'damaged'
}

/** What a run did. */
export interface IndexOutcome {
  /** `full` where there was no index to go on from. */
  readonly mode: 'full' | 'delta'
  /** Files that are in the index now. */
  readonly files: number
  /** Files whose content was embedded by this run, and the pieces they were cut into. */
  readonly embedded: number
  readonly chunks: number
  readonly removed: number
  /** Files that are not in the index, by reason. Closed and ignored ones are not among them. */
  readonly skipped: Readonly<Partial<Record<SkipReason, number>>>
  /** Whether a limit on files or depth kept some out. */
  readonly capped: boolean
  readonly warnings: readonly string[]
  readonly seconds: number
}

/** How far a run is. */
export interface IndexProgress {
  readonly mode: IndexOutcome['mode']
  readonly files_done: number
  /** Nothing while they are still being counted. */
  readonly files_total: number | null
  readonly seconds_left: number | null
}

/** What a run gets from whoever starts it. */
export interface RunTools {
  now(): Date
  onProgress?(progress: IndexProgress): void
  /** Told of every file that is left out, with the reason. */
  onSkipped?(path: string, reason: SkipReason): void
}

/** How long a run has taken so far. */
export function secondsSince(started: Date, tools: RunTools): number {
  return (tools.now().getTime() - started.getTime()) / 1_000
}
