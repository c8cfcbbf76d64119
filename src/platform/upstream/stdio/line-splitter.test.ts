import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitLines } from './line-splitter.ts'

function linesOf(bytes: Buffer, cuts: number[], limit_bytes = 1_000_000) {
  const lines: string[] = []
  const over: [string, string, number][] = []
  const split = splitLines({
    line: (text) => lines.push(text),
    oversize: (...line) => over.push(line),
    discarded() {},
    limit_bytes: () => limit_bytes,
  })
  let from = 0
  for (const cut of [...cuts.map((at) => at % (bytes.length + 1)).toSorted((a, b) => a - b), bytes.length]) {
    split(bytes.subarray(from, cut))
    from = cut
  }
  return { lines, over }
}

test('the same lines come out however the bytes were cut', () => {
  const line = fc.string({ unit: 'grapheme' }).filter((text) => !text.includes('\n') && text.isWellFormed())
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat()), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''))
      expect(linesOf(bytes, cuts).lines).toEqual(lines.filter((text) => text !== ''))
    }),
  )
})

test('of a line beyond the limit both ends are kept, and the next line is whole', () => {
  fc.assert(
    fc.property(fc.integer({ min: 100_001, max: 300_000 }), fc.array(fc.nat()), (size, cuts) => {
      const bytes = Buffer.from(`first\nA${'x'.repeat(size - 2)}Z\nlast\n`)
      const { lines, over } = linesOf(bytes, cuts, 100_000)
      expect(lines).toEqual(['first', 'last'])
      expect(over).toEqual([[expect.stringMatching(/^Ax+$/), expect.stringMatching(/^x+Z$/), size]])
    }),
    { numRuns: 30 },
  )
})
