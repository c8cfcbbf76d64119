const FIRST_CAPACITY = 4_096

/** Vectors one after another in memory, to be compared with one at once. */
export interface VectorScan {
  put(slot: number, vector: Uint8Array): void
  /** Dot products with the first so many; nothing where the dimensions are others. */
  run(vector: Int8Array, count: number): Int32Array | undefined
}

export function openVectorScan(): VectorScan {
  let dimensions = 0
  let held = new Int8Array(0)
  let dots = new Int32Array(0)
  return {
    put(slot, vector) {
      if (dimensions === 0) {
        dimensions = vector.length
        held = new Int8Array(FIRST_CAPACITY * dimensions)
      }
      if ((slot + 1) * dimensions > held.length) {
        const larger = new Int8Array(held.length * 2)
        larger.set(held)
        held = larger
      }
      held.set(vector.subarray(0, dimensions), slot * dimensions)
    },
    run(vector, count) {
      if (vector.length !== dimensions) return undefined
      if (dots.length < count) dots = new Int32Array(Math.max(count, dots.length * 2))
      for (let slot = 0, at = 0; slot < count; slot++) {
        let sum = 0
        for (let dimension = 0; dimension < dimensions; dimension++)
          sum += (held[at++] as number) * (vector[dimension] as number)
        dots[slot] = sum
      }
      return dots
    },
  }
}
