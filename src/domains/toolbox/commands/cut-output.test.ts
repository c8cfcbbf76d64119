import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ToolFault } from '../tool-fault.ts'
import { cutOutput, parseTruncation } from './cut-output.ts'

const lines = fc.array(
  fc.string({ maxLength: 20 }).map((line) => line.replaceAll('\n', '')),
  { maxLength: 40 },
)

test('a strategy shows exactly the lines it names, and says so when any is missing', () => {
  fc.assert(
    fc.property(lines, fc.integer({ min: 1, max: 50 }), fc.boolean(), (all, count, is_head) => {
      const text = all.map((line) => `${line}\n`).join('')
      const cut = cutOutput('stdout', text, parseTruncation(`${is_head ? 'HEAD' : 'TAIL'}:${count}`))
      const expected = is_head ? all.slice(0, count) : all.slice(-count)
      expect(cut.text).toBe(expected.map((line) => `${line}\n`).join(''))
      expect(cut.notice === undefined).toBe(all.length <= count)
    }),
  )
})

test('nothing but the two strategies is understood', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      fc.pre(!/^(?:HEAD|TAIL):[1-9]\d{0,4}$/.test(text))
      expect(() => parseTruncation(text)).toThrow(ToolFault)
    }),
  )
  expect(() => parseTruncation('HEAD:10001')).toThrow(ToolFault)
  expect(parseTruncation('TAIL:10000')).toEqual({ head: 0, tail: 10_000 })
})

test('a very long line is cut between characters, and a short output is left as it is', () => {
  const { text, notice } = cutOutput('stderr', `${'x'.repeat(1999)}😀😀`, parseTruncation(undefined))
  expect(text).toBe(`${'x'.repeat(1999)}… 3 characters left out`)
  expect(notice).toBe('stderr was cut: lines cut at 2000 characters.')
  expect(cutOutput('stdout', 'no end of line', parseTruncation(undefined))).toEqual({
    text: 'no end of line',
    notice: undefined,
  })
  expect(cutOutput('stdout', '', parseTruncation('HEAD:1'))).toEqual({ text: '', notice: undefined })
})
