import type { Look } from '../looks/looks.ts'

/** A form of words, a command or a directive that a secret belongs to: the last group of the pattern. */
export interface WrittenForm {
  rule: string
  anchors: string
  /** Tried at the anchor. What may stand between is bounded, so that a failed try is cheap. */
  pattern: RegExp
  /** The form alone does not tell a secret from a word: it must look like one. */
  looks?: Look
  /** Letters may stand right before it. */
  allowsInside?: true
}
