import type { DenialReason, FileFaultCode, GuardScope } from '../../../platform/guard/guard.ts'
import type { RedactorOptions } from '../../../platform/redaction/redactor.ts'
import type { SearchPlace } from './search-place.ts'

/** One thread's share of a search. All parts walk the same tree; each file falls to one of them. */
export interface SearchJob {
  readonly scope: GuardScope
  readonly path: string
  readonly recursive: boolean
  readonly pattern: string
  /** Where the parts note which files are taken; undefined for a search in one part. */
  readonly claims: BigInt64Array | undefined
  /** Where the part notes which file it is at. */
  readonly place: SearchPlace
  /** Not zero when the search is to end with what it has. */
  readonly stop: Int32Array
  /** Ends the part when it has met more matches than this, and keeps no more than these. */
  readonly match_limit: number | undefined
  /** Whether texts are sifted as they are before the secrets are taken out of those that are left. */
  readonly sifts: boolean
  /** What makes a redactor that hides what the caller may not see. */
  readonly redaction: RedactorOptions
}

/** A match, by its place in the text that read_file shows, and its line as far as it is shown. */
export interface LocatedMatch {
  readonly line: number
  readonly column: number
  readonly content: string
}

export interface SearchedFile {
  readonly path: string
  /** The place of the file in the walk, by which the parts are put together. */
  readonly order: number
  readonly matches: readonly LocatedMatch[]
}

export interface PartFindings {
  readonly files: readonly SearchedFile[]
  readonly count: number
  readonly files_searched: number
  readonly files_skipped: number
  /** Files and folders that were not looked into because no path can hold their names. */
  readonly unnameable: number
  /** Whether a limit kept the part from seeing everything. */
  readonly capped: boolean
}

export type SearchAnswer =
  | { readonly findings: PartFindings }
  | { readonly invalid: string }
  | { readonly denied: DenialReason; readonly path: string }
  | { readonly fault: FileFaultCode; readonly path: string; readonly message: string }
