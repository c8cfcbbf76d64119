import fc from 'fast-check'
import { expect, test } from 'vitest'
import { keepOutput } from './kept-output.ts'

const pieces = fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { maxLength: 30 })
// Streams are cut anywhere, also in the middle of a character.
const cuts = fc.array(fc.nat(7), { minLength: 1, maxLength: 50 })

function feed(text: string, sizes: readonly number[], kept: ReturnType<typeof keepOutput>): string {
  const bytes = Buffer.from(text)
  let told = ''
  for (let from = 0, turn = 0; from < bytes.length; turn++) {
    const size = (sizes[turn % sizes.length] ?? 0) + 1
    told += kept.add(bytes.subarray(from, from + size))
    from += size
  }
  return told
}

test('the beginning is kept in whole characters, and every byte is counted', () => {
  fc.assert(
    fc.property(pieces, cuts, fc.nat(200), (parts, sizes, limit) => {
      const text = parts.join('').toWellFormed()
      const kept = keepOutput(limit)
      const told = feed(text, sizes, kept)
      const bytes = Buffer.byteLength(text)
      expect(kept.total()).toBe(bytes)
      expect(kept.dropped()).toBe(Math.max(0, bytes - limit))
      expect(text.startsWith(kept.text())).toBe(true)
      expect(Buffer.byteLength(kept.text())).toBeGreaterThan(Math.min(limit, bytes) - 4)
      expect(told).toBe(kept.text())
    }),
  )
})

test('of both ends nothing is lost while there is room, and whole characters are kept beyond', () => {
  fc.assert(
    fc.property(pieces, cuts, fc.integer({ min: 20, max: 200 }), (parts, sizes, limit) => {
      const text = parts.join('').toWellFormed()
      const kept = keepOutput(limit, 'both_ends')
      feed(text, sizes, kept)
      const bytes = Buffer.byteLength(text)
      if (bytes <= limit) return void expect(kept.text()).toBe(text)
      const [, head = '', tail = ''] =
        /^([\s\S]*)\n… \d+ bytes left out …\n([\s\S]*)$/.exec(kept.text()) ?? []
      expect(text.startsWith(head) && text.endsWith(tail)).toBe(true)
      expect(Buffer.byteLength(head + tail)).toBeGreaterThan(limit - 7)
      expect(kept.dropped()).toBe(bytes - limit)
    }),
  )
})
