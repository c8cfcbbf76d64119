/** The length of every vector, so that a dot product is a cosine. */
export const VECTOR_LENGTH = 127

/** Brings a vector to the common length, in whole numbers; one without length stays zero, which is like nothing. */
export function scaleVector(values: readonly number[]): Int8Array {
  // Divided by the largest first, so that no square is too large for a number.
  const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 0)
  if (largest === 0) return new Int8Array(values.length)
  let squares = 0
  for (const value of values) squares += (value / largest) ** 2
  const factor = VECTOR_LENGTH / Math.sqrt(squares)
  return Int8Array.from(values, (value) => Math.round((value / largest) * factor))
}
