const FIRST_CAPACITY = 4_096
const BUCKETS = 2_048

/** Vectors one after another in memory, to be compared with one at once. */
export interface VectorScan {
  put(slot: number, vector: Uint8Array): void
  /** Dot products with the first so many; undefined where the dimensions are others. */
  run(vector: Int8Array, count: number): Int32Array | undefined
}

/** Opens a scan; its dimensions are those of the first vector. */
export function openVectorScan(): VectorScan {
  let dimensions = 0
  let held = new Int8Array(0)
  return {
    put(slot, vector) {
      if (held.length === 0) {
        dimensions = vector.length
        held = new Int8Array(FIRST_CAPACITY * dimensions)
      }
      while ((slot + 1) * dimensions > held.length) held = doubled(held)
      held.set(vector.subarray(0, dimensions), slot * dimensions)
    },
    run: (vector, count) =>
      held.length > 0 && vector.length === dimensions ? dotProducts(held, vector, count) : undefined,
  }
}

function doubled(held: Int8Array): Int8Array<ArrayBuffer> {
  const larger = new Int8Array(held.length * 2)
  larger.set(held)
  return larger
}

function dotProducts(held: Int8Array, vector: Int8Array, count: number): Int32Array {
  const dots = new Int32Array(count)
  const { length } = vector
  for (let slot = 0, start = 0; slot < count; slot++, start += length) {
    let sum = 0
    for (let at = 0; at < length; at++) sum += (held[start + at] as number) * (vector[at] as number)
    dots[slot] = sum
  }
  return dots
}

/** The places of the highest values, about so many of them, in no order; without a look at those out of reach. */
export function findHighest(
  values: Int32Array,
  count: number,
  wanted: number,
  isInReach: ((at: number) => boolean) | undefined,
): number[] {
  let highest = 1
  for (let at = 0; at < count; at++) if ((values[at] as number) > highest) highest = values[at] as number
  const scale = (BUCKETS - 1) / highest
  const sizes = new Int32Array(BUCKETS)
  for (let at = 0; at < count; at++) {
    const value = values[at] as number
    if (value > 0 && (!isInReach || isInReach(at))) {
      const bucket = (value * scale) | 0
      sizes[bucket] = (sizes[bucket] as number) + 1
    }
  }
  const floor = findFloor(sizes, wanted)
  const found: number[] = []
  for (let at = 0; at < count && found.length < wanted; at++) {
    const value = values[at] as number
    if (value > 0 && ((value * scale) | 0) >= floor && (!isInReach || isInReach(at))) found.push(at)
  }
  return found
}

function findFloor(sizes: Int32Array, wanted: number): number {
  let kept = 0
  for (let bucket = BUCKETS - 1; bucket > 0; bucket--) {
    kept += sizes[bucket] as number
    if (kept > wanted) return bucket + 1
  }
  return 0
}

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
