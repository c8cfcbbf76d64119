import type { DenialReason, FileFaultCode, GuardScope } from '../../../../platform/guard/guard.ts'
import type { RedactorOptions } from '../../../../platform/redaction/redactor.ts'
import type { LocatedMatch } from '../../search/search-job.ts'
import type { SystemMap } from '../map/map-shape.ts'
import type { RelatedTest } from '../related/relate-tests.ts'
import type { UsageKind } from './usage-grammar.ts'
import type { UsageLanguage } from './usage-languages.ts'

/** What the program is started with, so that it knows it is meant. */
export const TREE_PROGRAM_ARGUMENT = 'look-through'

/** Looks for a symbol below a path. */
export interface UsageJob {
  readonly task: 'usages'
  readonly scope: GuardScope
  readonly path: string
  readonly symbol: UsageSymbol
  /** Only files of this language. */
  readonly language: UsageLanguage | undefined
  /** Files that were answered before the program was started anew. */
  readonly done: readonly string[]
  /** Files that brought it down, or took too long. */
  readonly failed: readonly string[]
  /** What makes a redactor that hides what the caller may not see. */
  readonly redaction: RedactorOptions
}

/** Looks for the tests of a source file. */
export interface TestsJob {
  readonly task: 'tests'
  readonly scope: GuardScope
  /** As the service has it, links followed. */
  readonly file_path: string
  /** What makes a redactor that hides what the caller may not see. */
  readonly redaction: RedactorOptions
}

/** Looks over the folders of a project, or of a part of the service. */
export interface MapJob {
  readonly task: 'map'
  /** What may be read. */
  readonly scope: GuardScope
  /** Where names of folders are looked at, and nothing else; without it, only what may be read. */
  readonly outer: GuardScope | undefined
  readonly root_dir: string
  /** Of the service in the outer scope; undefined where the map is of the service or a part of it. */
  readonly service: string | undefined
}

export type TreeJob = UsageJob | TestsJob | MapJob

/** The uses of a symbol in one file; definitions apart, as they are shown first. */
export interface UsageFile {
  readonly path: string
  readonly count: number
  readonly definitions: readonly LocatedMatch[]
  readonly others: readonly LocatedMatch[]
  /** Of the others, in their order. */
  readonly kinds: readonly UsageKind[]
  /** Of a file that the parser could not read whole: lines with the name that it saw nothing on. */
  readonly broken: readonly number[] | undefined
}

export interface UsageEnd {
  readonly files_searched: number
  readonly files_skipped: number
  /** Files with the name in them that there is no parser for. */
  readonly files_unsupported: readonly string[]
  readonly unsupported: number
  /** Files with the name in them that there is one for. */
  readonly candidates: number
  readonly capped: boolean
}

/** What a tests job ends with. */
export interface TestsEnd {
  readonly tests: readonly RelatedTest[]
  readonly capped: boolean
}

/** One line that the program writes. */
export type TreeMessage =
  | { readonly begin: string }
  | { readonly file: UsageFile }
  | { readonly usages: UsageEnd }
  | { readonly tests: TestsEnd }
  | { readonly map: SystemMap }
  | { readonly denied: DenialReason; readonly path: string }
  | { readonly fault: FileFaultCode; readonly path: string; readonly message: string }

/** A symbol as it is looked for: its own name, and what it belongs to, outermost first. */
export interface UsageSymbol {
  readonly name: string
  readonly qualifiers: readonly string[]
}

export const SYMBOL_MAX_CHARS = 200
const PARTS_LIMIT = 8
/** With hyphens a name is one of an element in JSX. */
const NAME = /^#?[\p{ID_Start}_$][\p{ID_Continue}$\u200c\u200d]*(?:-[\p{ID_Continue}]+)*$/u
const SEPARATOR = /::|\.(?=.)|(?<=[^.:])#/u

/** Reads `name`, `Owner.name`, `module::name` or `Owner#name`, with `()` after it or not; undefined for other texts. */
export function findSymbol(text: string): UsageSymbol | undefined {
  if (text.length > SYMBOL_MAX_CHARS) return undefined
  const parts = text.trim().replace(/\(\)$/, '').split(SEPARATOR)
  if (parts.length > PARTS_LIMIT || !parts.every((part) => NAME.test(part))) return undefined
  return { name: parts.at(-1) as string, qualifiers: parts.slice(0, -1) }
}
