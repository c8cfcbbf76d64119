import type { AstLanguage } from './ast-languages.ts'

/** What the program is started with, so that it knows it is meant. */
export const AST_PROGRAM_ARGUMENT = 'find-nodes'

/** What a program of its own is asked to find. */
export interface AstJob {
  readonly language: AstLanguage
  readonly text: string
  readonly patterns: readonly string[]
}

/** For each pattern the places of its nodes; or which pattern cannot be read. */
export type AstAnswer =
  | { readonly found: readonly (readonly (readonly [start: number, end: number])[])[] }
  | { readonly broken: number }
