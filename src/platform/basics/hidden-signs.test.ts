import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isBlank, spellHidden } from './hidden-signs.ts'

const HIDDEN = ['\u200b', '\u202e', '\u034f', '\u115f', '\u180b', '\u2800', '\u3164', '\ufe00', '\ufe0f']
const BEYOND = ['\u{e0041}', '\u{e0100}', '\u{e01ef}', '\u{1d173}']
const spell = (code: number) => `<${code.toString(16)}>`

test('spells out whatever shows nothing, wherever it stands', () => {
  for (const sign of [...HIDDEN, ...BEYOND])
    expect(spellHidden(`a${sign}b`, spell)).toBe(`a${spell(sign.codePointAt(0) as number)}b`)
})

test('leaves every other text alone', () => {
  for (const text of ['Be kind.\n\tä ß 漢字 한글 שלום مرحبا', '⚠\ufe0f ❤\ufe0f', 'e\u0301', ''])
    expect(spellHidden(text, spell)).toBe(text)
})

test('one selector may follow a picture, more may not', () => {
  expect(spellHidden('⚠\ufe0f\ufe0f\ufe01', spell)).toBe('⚠\ufe0f<fe0f><fe01>')
})

test('no text of hidden signs and white space alone counts as one', () => {
  const nothing = fc.string({ unit: fc.constantFrom(...HIDDEN, ...BEYOND, ' ', '\n', '\t', '\u00a0') })
  fc.assert(fc.property(nothing, (text) => isBlank(text)))
  fc.assert(fc.property(nothing, nothing, (before, after) => !isBlank(`${before}x${after}`)))
})
