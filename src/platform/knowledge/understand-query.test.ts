import { describe, expect, it } from 'vitest'
import { understandQuery } from './understand-query.ts'

const formOf = (query: string) => understandQuery(query).form

describe('the form of a query', () => {
  it.each([
    'retryLater',
    'retry_later',
    'Box.open',
    'std::fmt',
    'HTTPServer',
    'sha256',
    'parse()',
    'MAX_SIZE',
    'a/b.ts',
    '$scope',
  ])('%s is a name from code', (query) => {
    expect(formOf(query)).toBe('identifier')
  })

  it.each(['retry', 'retry later', 'where is retryLater used', 'How does it work?', 'Guide', 'e.g. a thing'])(
    '%s is open',
    (query) => {
      expect(formOf(query)).toBe('open')
    },
  )

  it('is quoted where a text stands in quotes', () => {
    expect(understandQuery('the "exact words" here')).toMatchObject({
      form: 'quoted',
      literals: ['exact words'],
    })
    expect(formOf('an empty "" quote')).toBe('open')
    expect(formOf('fix the crash of "open" at the start of a box')).toBe('open')
    expect(formOf('fix `open` in box')).toBe('open')
  })

  it('tells names among words', () => {
    expect(understandQuery('where is retryLater() used').identifiers).toEqual(['retryLater'])
  })

  it('leaves out words that every text has, unless there are no others', () => {
    expect(understandQuery('the size of a box').terms.map(({ word }) => word)).toEqual(['size', 'box'])
    expect(understandQuery('to be or not').terms.map(({ word }) => word)).toEqual(['to', 'be', 'or', 'not'])
  })

  it('reads headings and questions as asking for prose, descriptions and changes not', () => {
    for (const query of ['How do I install it', 'Payment Limits', 'async support', 'is it fast?'])
      expect(understandQuery(query).leans_to_prose, query).toBe(true)
    for (const query of [
      'Returns the size of a box',
      'fix: a crash at start',
      'removes all the entries that are too old',
    ])
      expect(understandQuery(query).leans_to_prose, query).toBe(false)
  })
})
