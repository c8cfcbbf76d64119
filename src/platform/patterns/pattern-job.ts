/** What the pattern thread is asked. */
export interface PatternJob {
  readonly pattern: string
  readonly text: string
}

/** What it answers: indexes into the text, start and end in turn, or why the pattern is none. */
export type PatternAnswer = { readonly indexes: Uint32Array<ArrayBuffer> } | { readonly invalid: string }
