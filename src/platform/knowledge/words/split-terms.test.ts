import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { splitTerms } from './split-terms.ts'

describe('terms', () => {
  it.each([
    ['parseHTTPHeader_v2', 'parse http header v 2'],
    ['sha256Hash, base64url', 'sha 256 hash base 64 url'],
    ['snake_case kebab-case dotted.name', 'snake case kebab case dotted name'],
    ['URLs and IDs of APIServer', 'urls and ids of api server'],
    ['Größe naïve', 'größe naïve'],
    ['\u1f88', '\u1f80'],
    ['数据库 index', '数 据 库 index'],
    ['', ''],
    ['…!? \u0000', ''],
  ])('%s', (text, terms) => {
    expect(splitTerms(text).join(' ')).toBe(terms)
  })

  it('are cut where a run has no end, and counted no further than asked', () => {
    expect(splitTerms('a'.repeat(50)).map(({ length }) => length)).toEqual([24, 24, 2])
    expect(splitTerms('one two three', 2)).toEqual(['one', 'two'])
  })

  it('are parts of the text, in its order, with nothing but separators between', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
        const letters = [...text].filter(
          (letter) =>
            letter.length === 1 &&
            /[\p{L}\p{M}\p{N}]/u.test(letter) &&
            !/\p{Variation_Selector}/u.test(letter),
        )
        expect(plain(splitTerms(text).join(''))).toBe(plain(letters.join('')))
      }),
    )
  })
})

/** A sigma at the end of a word is written otherwise, and where words end is what is tested. */
function plain(text: string): string {
  return text.toLowerCase().replaceAll('ς', 'σ')
}
