import type { Span } from './edit.ts'

/** All places where a text has exactly this in it, leftmost first; they do not overlap. */
export function findExact(text: string, spec: string): Span[] {
  const found: Span[] = []
  if (spec === '') return found
  for (let at = text.indexOf(spec); at >= 0; at = text.indexOf(spec, at + spec.length))
    found.push({ start: at, end: at + spec.length })
  return found
}
