import { describe, expect, it } from 'vitest'
import { understandQuery } from './understand-query.ts'

const formOf = (query: string) => understandQuery(query).form
const wordsOf = (query: string) => understandQuery(query).terms.map(({ word }) => word)

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

  it('reads what git quotes when a change is taken back as the change', () => {
    const taken = understandQuery('Revert "Let the lid of small boxes shut"')
    expect(taken).toMatchObject({ form: 'open', literals: [], tells_of_change: true })
    expect(taken.terms.map(({ word }) => word)).toEqual(['let', 'lid', 'small', 'boxes', 'shut'])
    expect(formOf('"Revert the lid"')).toBe('quoted')
  })

  it('tells names among words', () => {
    expect(understandQuery('where is retryLater() used').identifiers).toEqual(['retryLater'])
    expect(understandQuery('retry').identifiers).toEqual(['retry'])
    expect(understandQuery('retry later').identifiers).toEqual([])
  })

  it('leaves out words that every text has, unless there are no others', () => {
    expect(wordsOf('the size of a box')).toEqual(['size', 'box'])
    expect(wordsOf('to be or not')).toEqual(['to', 'be', 'or', 'not'])
  })

  it('leaves out the word that says that something changes, unless there is little else', () => {
    expect(wordsOf('Fix the lid of small boxes')).toEqual(['lid', 'small', 'boxes'])
    expect(wordsOf('🐛 feat(lid): added a hinge')).toEqual(['feat', 'lid', 'hinge'])
    expect(wordsOf('Adds a lid to small boxes')).toEqual(['adds', 'lid', 'small', 'boxes'])
    expect(wordsOf('update box lid')).toEqual(['update', 'box', 'lid'])
  })

  it('tells a change from what is there', () => {
    for (const query of [
      'fix(box): lid',
      'core/box: lid',
      'Improve lids',
      '✏️ Update the lid',
      'docs: lid',
      'Removed old lids',
      'Clean up boxes',
      "Don't open lids",
      'Make lids of boxes heavier',
      'two typos in what is said of lids',
    ])
      expect(understandQuery(query).tells_of_change, query).toBe(true)
    for (const query of [
      'Adds a lid',
      'box',
      'additional lids',
      'std::fmt',
      'how to fix a lid',
      'fixture',
      'movement',
      'Removes a lid',
      'make',
      'user of a lid',
      'where are typos found?',
    ])
      expect(understandQuery(query).tells_of_change, query).toBe(false)
  })

  it('reads a mention of documentation as asking for it', () => {
    for (const query of ['docs: say more about the lid of a box', 'fix what the README says about lids'])
      expect(understandQuery(query).leans_to_prose, query).toBe(true)
    expect(understandQuery('fix what the docker file says about lids').leans_to_prose).toBe(false)
  })

  it('leaves out what makes a question of it', () => {
    expect(wordsOf('where is the size of a box validated?')).toEqual(['size', 'box', 'validated'])
    expect(wordsOf('what happens when a lid is lost')).toEqual(['lid', 'lost'])
    expect(wordsOf('a place where lids happen')).toEqual(['place', 'where', 'lids', 'happen'])
    expect(wordsOf('where is it')).toEqual(['where', 'is', 'it'])
  })

  it('reads a question as asking for code, unless it is on how to use a thing or what it is', () => {
    for (const query of [
      'where is a lid validated',
      'how does the hinge retry?',
      'what happens when a lid is lost',
      'why does it squeak',
      'which error is thrown for a lost lid',
      'is it fast?',
    ])
      expect(understandQuery(query), query).toMatchObject({ asks_for_code: true, leans_to_prose: false })
    for (const query of ['how do I open a lid?', 'how to oil it', 'what is a hinge?', 'can I open it twice?'])
      expect(understandQuery(query), query).toMatchObject({ asks_for_code: false, leans_to_prose: true })
  })

  it('takes change and release for words like others', () => {
    for (const query of ['what changes the lid', 'release the lock', 'history of a box'])
      expect(understandQuery(query).asks_for_changes, query).toBe(false)
    for (const query of ['the change log', 'release notes', 'what changed in 2.0', 'breaking changes'])
      expect(understandQuery(query).asks_for_changes, query).toBe(true)
  })

  it('reads headings as asking for prose, descriptions and changes not', () => {
    for (const query of ['How do I install it', 'Payment Limits', 'async support'])
      expect(understandQuery(query).leans_to_prose, query).toBe(true)
    for (const query of [
      'Returns the size of a box',
      'fix: a crash at start',
      'removes all the entries that are too old',
    ])
      expect(understandQuery(query).leans_to_prose, query).toBe(false)
  })
})
