import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openVectorScan } from './vector-scan.ts'

const vectorOf = (dimensions: number) => fc.int8Array({ minLength: dimensions, maxLength: dimensions })
const plainDot = (a: Int8Array, b: Int8Array) => a.reduce((sum, value, at) => sum + value * (b[at] ?? 0), 0)
const vectorAt = (slot: number) => Int8Array.from({ length: 20 }, (_, at) => (slot * 7 + at * 13) % 128)

describe('a scan over held vectors', () => {
  it('gives the dot product with each of them, whatever their dimensions and numbers', () => {
    const some = fc
      .integer({ min: 1, max: 70 })
      .chain((dimensions) => fc.tuple(fc.array(vectorOf(dimensions), { minLength: 1 }), vectorOf(dimensions)))
    fc.assert(
      fc.property(some, ([vectors, query]) => {
        const scan = openVectorScan()
        for (const [slot, vector] of vectors.entries()) scan.put(slot, new Uint8Array(vector.buffer))
        const dots = scan.run(query, vectors.length)
        expect([...(dots ?? [])]).toEqual(vectors.map((vector) => plainDot(vector, query)))
      }),
    )
  })

  it('keeps what it holds while it grows, and finds the same before and after', () => {
    const scan = openVectorScan()
    const query = Int8Array.from({ length: 20 }, (_, at) => at - 10)
    for (const end of [4_096, 4_097, 20_000]) {
      for (let slot = 0; slot < end; slot++) scan.put(slot, new Uint8Array(vectorAt(slot).buffer))
      const dots = scan.run(query, end) ?? new Int32Array()
      expect(dots).toHaveLength(end)
      expect(dots.every((dot, slot) => dot === plainDot(vectorAt(slot), query))).toBe(true)
    }
  })

  it('compares nothing with a vector of other dimensions, and nothing where nothing is held', () => {
    const scan = openVectorScan()
    expect(scan.run(new Int8Array(16), 0)).toBeUndefined()
    scan.put(0, new Uint8Array(16))
    expect(scan.run(new Int8Array(32), 1)).toBeUndefined()
  })
})
