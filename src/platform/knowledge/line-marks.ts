/** What is told of a line before a text is made of it, as bits. The program that reads lines knows the same ones. */
export const IS_BLANK = 1
/** Nobody could look for anything on it: blank, or brackets and marks only. */
export const IS_WORDLESS = 2
/** Of code: it goes on with what stands before it. */
export const IS_CONTINUED = 4
/** Nothing but `end` stands on it. */
export const IS_END = 8
/** Begins with a sign that may make a heading of it or of the line above. */
export const HAS_SIGN = 16
/** Begins as annotations do. */
export const MAY_ANNOTATE = 32

/** Has other characters than those of ASCII. */
export const IS_ODD = 64

/** Some of these words are names of members elsewhere. */
const CONTINUED =
  /^\s*(?:[})\]{>.,?:|&=]|(?:end|where|rescue|ensure|else|elif|elsif|except|finally)\b(?!\(|\?|:\s*\S)|catch\b|\w+\s*:\s*$)/
const WORDS = /[a-z0-9]|[\p{L}\p{N}]/iu
const END = /^\s*end\s*$/
const SIGN = /^\s*["#'*+\-.:=^`~]/
const ANNOTATION = /^\s*[@#[]/

/** The marks of a line with other characters than those of ASCII; of all others the program knows them. */
export function marksOf(line: string): number {
  return (
    IS_ODD |
    (line.trim() === '' ? IS_BLANK : 0) |
    (WORDS.test(line) ? 0 : IS_WORDLESS) |
    (CONTINUED.test(line) ? IS_CONTINUED : 0) |
    (END.test(line) ? IS_END : 0) |
    (SIGN.test(line) ? HAS_SIGN : 0) |
    (ANNOTATION.test(line) ? MAY_ANNOTATE : 0)
  )
}
