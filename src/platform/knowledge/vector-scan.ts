import { openVectorMath, reserveBytes, strideOf, type VectorMath } from './vector-math.ts'

const FIRST_CAPACITY = 4_096
const DOT_BYTES = Int32Array.BYTES_PER_ELEMENT

/** Vectors one after another in memory, to be compared with one at once. */
export interface VectorScan {
  put(slot: number, vector: Uint8Array): void
  /** Dot products with the first so many, good until the next call; nothing where the dimensions are others. */
  run(vector: Int8Array, count: number): Int32Array | undefined
}

/** The vector that is looked for comes first, then the others, then room for the products. */
interface Held {
  readonly math: VectorMath
  readonly dimensions: number
  readonly stride: number
  capacity: number
  bytes: Uint8Array
}

export function openVectorScan(): VectorScan {
  let held: Held | undefined
  return {
    put(slot, vector) {
      held ??= openHeld(vector.length)
      while (slot >= held.capacity) reserve(held, held.capacity * 2)
      held.bytes.set(vector.subarray(0, held.dimensions), held.stride * (slot + 1))
    },
    run(vector, count) {
      if (vector.length !== held?.dimensions) return undefined
      const { math, stride, capacity, bytes } = held
      bytes.set(vector, 0)
      const out = stride * (capacity + 1)
      math.dots(0, stride, stride, out, out + count * DOT_BYTES)
      return new Int32Array(math.memory.buffer, out, count)
    },
  }
}

function openHeld(dimensions: number): Held {
  const held = {
    math: openVectorMath(),
    dimensions,
    stride: strideOf(dimensions),
    capacity: 0,
    bytes: new Uint8Array(),
  }
  reserve(held, FIRST_CAPACITY)
  return held
}

function reserve(held: Held, capacity: number): void {
  reserveBytes(held.math, held.stride * (capacity + 1) + capacity * DOT_BYTES)
  held.capacity = capacity
  held.bytes = new Uint8Array(held.math.memory.buffer)
}
