import type { Span } from './edit.ts'

/** Up to so many comparisons the language's own search may make; for most edits it makes far fewer. */
const COMPARISONS_MAX = 2_000_000

/** All places where a text has exactly this in it, leftmost first; they do not overlap. */
export function findExact(text: string, spec: string): Span[] {
  if (spec === '') return []
  return spec.length * text.length <= COMPARISONS_MAX ? findShort(text, spec) : findLong(text, spec)
}

function findShort(text: string, spec: string): Span[] {
  const found: Span[] = []
  for (let at = text.indexOf(spec); at >= 0; at = text.indexOf(spec, at + spec.length))
    found.push({ start: at, end: at + spec.length })
  return found
}

/**
 * The same without ever going back in the text (Knuth, Morris and Pratt): `indexOf` compares nearly all of a
 * spec at nearly every place when both are made for it, which would hold up the hub for minutes.
 */
function findLong(text: string, spec: string): Span[] {
  const found: Span[] = []
  const shorter = shorterMatches(spec)
  let matched = 0
  for (let at = 0; at < text.length; at += 1) {
    matched = matchedWith(spec, shorter, matched, text.charCodeAt(at))
    if (matched < spec.length) continue
    found.push({ start: at + 1 - spec.length, end: at + 1 })
    matched = 0
  }
  return found
}

/** For each beginning of the spec, how much of it stands at its end once more. */
function shorterMatches(spec: string): Int32Array {
  const shorter = new Int32Array(spec.length)
  for (let at = 1; at < spec.length; at += 1)
    shorter[at] = matchedWith(spec, shorter, shorter[at - 1] as number, spec.charCodeAt(at))
  return shorter
}

/** How much of the spec is matched with one more character of the text. */
function matchedWith(spec: string, shorter: Int32Array, matched: number, code: number): number {
  let kept = matched
  while (kept > 0 && spec.charCodeAt(kept) !== code) kept = shorter[kept - 1] as number
  return spec.charCodeAt(kept) === code ? kept + 1 : kept
}
