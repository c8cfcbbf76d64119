/** A word boundary, plain or of one side; other escapes are taken whole, so that a `\\` before a `b` is none. */
const ESCAPE = /\\(?:[bB](?:\{(?:start|end)(?:-half)?\})?|[^])/g

/**
 * A pattern that finds something in every text in which the given one finds something beside the secrets. Whether
 * characters are a match depends on themselves and, at both ends, by word boundaries, on one more, which may be part
 * of a secret; so these are left out. (Line anchors ask for the ends of lines, which are never hidden.) Nothing else
 * may change: an alternative less would let the text as it is, secrets included, decide on what is found.
 */
export function sieveOf(pattern: string): string {
  return pattern.replaceAll(ESCAPE, (escape) => (/^\\[bB]/.test(escape) ? '()' : escape))
}
