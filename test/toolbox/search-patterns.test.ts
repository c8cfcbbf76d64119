import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { planEdits } from '../../src/domains/toolbox/loom/plan-edits.ts'
import { countMatches } from '../../src/domains/toolbox/search/count-matches.ts'
import { searchFile } from '../../src/domains/toolbox/search/search-file.ts'
import { openPatterns } from '../../src/platform/patterns/open-patterns.ts'
import { matchesOfV8, randomPattern, randomText } from '../../src/platform/patterns/random-pattern.fixture.ts'
import { verifies } from '../requirements/verifies.ts'
import { faultsOfBoth, makeSearchService } from './search-service.fixture.ts'

/** Would take about a minute on a text of 50 kB. */
const SLOW = '(?:ä{0,200}){0,200}!'

const patterns = openPatterns()
afterAll(() => patterns.close())

/** Whether an edit that expects so many matches of a regex would be made. */
async function wouldEdit(text: string, spec: string, count: number): Promise<boolean> {
  const edit = { operation: 'replace', match_mode: 'regex', spec, content: 'x', count } as const
  const engines = { findPattern: patterns.findAll, findNodes: async () => [] }
  return planEdits(text, [edit], engines).then(
    () => true,
    () => false,
  )
}

describe('count_matches', () => {
  verifies('TOOL-042', 'counts every match on a line, as many as an edit finds', async () => {
    const service = makeSearchService()
    service.put('a.txt', 'a a\na')
    expect(await service.call(countMatches, { path: 'a.txt', regex: 'a' })).toMatchObject({ count: 3 })
    expect(await wouldEdit('a a\na', 'a', 3)).toBe(true)
    expect(await wouldEdit('a a\na', 'a', 2)).toBe(false)
    const texts = ['\ufeffa\r\na\n', 'a\n\na', 'éaé😀a', 'aaa']
    for (const text of texts)
      for (const regex of ['a', '^a', 'a$', '\\Aa', 'a+', '[^a]']) {
        service.put('b.txt', text)
        const { count } = await service.call(countMatches, { path: 'b.txt', regex })
        const found = await patterns.findAll(regex, text.replace('\ufeff', ''))
        expect([regex, text, count]).toEqual([regex, text, found.length])
      }
  })

  test('finds in files what is found in texts, at the same places', async () => {
    const service = makeSearchService()
    await fc.assert(
      fc.asyncProperty(randomPattern, randomText, async ({ source }, text) => {
        service.put('a.txt', text)
        const seen = text.startsWith('\ufeff') ? text.slice(1) : text
        const expected = matchesOfV8(source, seen)
        const input = { path: 'a.txt', regex: source }
        expect((await service.call(countMatches, input)).count).toBe(expected.length)
        const { matches } = await service.call(searchFile, input)
        const lines = expected.map(({ start }) => placeOf(seen, start))
        expect(matches.map(({ line, column, content }) => ({ line, column, content }))).toEqual(lines)
      }),
      { numRuns: 300 },
    )
  })
})

/** Worked out from the text alone. */
function placeOf(text: string, start: number) {
  const ending = text.includes('\n') ? '\n' : '\r'
  const before = text.slice(0, start).split(ending)
  const line_start = start - (before.at(-1) as string).length
  const content = (text.slice(line_start).split(ending)[0] as string).replace(/\r$/, '')
  return { line: before.length, column: start - line_start + 1, content }
}

describe('the bound on patterns', () => {
  verifies('TOOL-066', 'nested repeats end with a result in every tool', async () => {
    const service = makeSearchService()
    service.put('a.txt', `${'a'.repeat(50_000)}!`)
    const hostile = { path: '.', regex: '(a+)+$', recursive: true }
    expect(await service.call(countMatches, hostile)).toMatchObject({ count: 0, files_searched: 1 })
    expect((await service.call(searchFile, hostile)).matches).toEqual([])
  })

  verifies('TOOL-066', 'what takes too long is a SecurityError; others are answered meanwhile', async () => {
    const service = makeSearchService()
    for (let file = 0; file < 50; file += 1) service.put(`slow/${file}.txt`, 'ä'.repeat(25_000))
    service.put('quick/a.txt', 'needle')
    const quick = { path: 'quick', regex: 'needle', recursive: true }
    const codes = new Set<unknown>()
    const over = new AbortController()
    async function pressOn(): Promise<void> {
      for (let round = 0; round < 100 && !over.signal.aborted; round += 1)
        for (const { code } of await faultsOfBoth(service, { path: 'slow', regex: SLOW, recursive: true }))
          codes.add(code)
    }
    const pressure = pressOn()
    try {
      for (let round = 0; round < 5; round += 1) {
        expect(await patterns.findAll('b', 'abab')).toHaveLength(2)
        expect(await service.call(countMatches, quick)).toMatchObject({ count: 1 })
      }
    } finally {
      over.abort()
      await pressure
    }
    expect(codes).toEqual(new Set(['SecurityError']))
  })

  verifies('TOOL-066', 'the file that a pattern took too long in is named', async () => {
    const service = makeSearchService()
    for (let file = 0; file < 20; file += 1) service.put(`lib/${file}.txt`, 'a b c')
    service.put('lib/data/all.csv', '1,2;'.repeat(1_000_000))
    for (const recursive of [true, false])
      for (const { code, message } of await faultsOfBoth(service, {
        path: recursive ? 'lib' : 'lib/data/all.csv',
        regex: '[0-9]',
        recursive,
      })) {
        expect(code).toBe('SecurityError')
        expect(message).toContain('took too long in lib/data/all.csv and was stopped')
      }
  })

  verifies('TOOL-067', 'look-around and back-references are refused, whatever is searched', async () => {
    const service = makeSearchService()
    for (const regex of ['(?=x)', '(?<!x)y', '(a)\\1', '(?P<n>a)(?P=n)'])
      for (const recursive of [false, true])
        for (const { code, message } of await faultsOfBoth(service, { path: '.', regex, recursive })) {
          expect(code).toBe('ValidationError')
          expect(message).toMatch(/look-around|back-reference/)
        }
  })

  test('patterns that are empty or too long are no input', () => {
    for (const regex of ['', 'a'.repeat(1_001)])
      expect(searchFile.input.safeParse({ path: '.', regex }).success).toBe(false)
  })
})
