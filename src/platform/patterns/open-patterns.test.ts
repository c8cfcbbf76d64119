import { spawnSync } from 'node:child_process'
import { setImmediate as nextTurn } from 'node:timers/promises'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements/verifies.ts'
import { openPatterns } from './open-patterns.ts'
import {
  PATTERN_MAX_CHARS,
  PATTERN_TEXT_MAX_BYTES,
  PatternInvalid,
  PatternTimeout,
  UNMATCHABLE,
} from './patterns.ts'
import { matchesOfV8, randomPattern, randomText } from './random-pattern.fixture.ts'

/** Would take about a minute on a text of 50 kB. */
const SLOW = '(?:ä{0,200}){0,200}!'
const SLOW_TEXT = 'ä'.repeat(25_000)

const patterns = openPatterns()
afterAll(() => patterns.close())

async function found(pattern: string, text: string): Promise<string[]> {
  return (await patterns.findAll(pattern, text)).map(({ start, end }) => text.slice(start, end))
}

describe('where patterns are found', () => {
  test('is where V8 finds them, whatever the text is made of', async () => {
    await fc.assert(
      fc.asyncProperty(randomPattern, randomText, async ({ source }, text) => {
        expect(await patterns.findAll(source, text)).toEqual(matchesOfV8(source, text))
      }),
      { numRuns: 2_000 },
    )
  })

  test('is found for any text that was escaped', async () => {
    const text = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 20 })
      .filter((word) => word.isWellFormed() && !word.includes(UNMATCHABLE))
    await fc.assert(
      fc.asyncProperty(text, randomText, async (word, before) => {
        const escaped = word.replaceAll(/[\\^$.*+?()[\]{}|#&~-]/g, '\\$&')
        const start = (before + word).indexOf(word)
        expect((await patterns.findAll(escaped, before + word))[0]).toEqual({
          start,
          end: start + word.length,
        })
      }),
    )
  })

  test('is never where nothing can match, nor over it', async () => {
    const text = `ab${UNMATCHABLE}é c\n${UNMATCHABLE}d`
    expect(await found('(?s).+', text)).toEqual(['ab', 'é c\n', 'd'])
    expect(await found('[^x]+', text)).toEqual(['ab', 'é c\n', 'd'])
    expect(await found('\\x{0}|\\x{ff}|\\x{fffd}|\\pC|\\PL', text)).toEqual([' ', '\n'])
    expect(await found('b(?s:.*)d', text)).toEqual([])
    expect(await found('(?m)^.*$', text)).toEqual([])
    for (const pattern of ['(?-u:\\xff)', '(?-u).', '(?-u:[^a])', '(?-u:\\W)'])
      await expect(patterns.findAll(pattern, text)).rejects.toBeInstanceOf(PatternInvalid)
  })

  test('halves of surrogate pairs count as one character', async () => {
    expect(await patterns.findAll('b.', 'a\ud800b\udc00c😀b😀')).toEqual([
      { start: 2, end: 4 },
      { start: 7, end: 10 },
    ])
  })

  test('anchors mean lines, whichever way they end', async () => {
    expect(await patterns.findAll('^', 'a\r\nb\nc')).toEqual([0, 3, 5].map((at) => ({ start: at, end: at })))
    expect(await patterns.findAll('$', 'a\r\nb\nc')).toEqual([1, 4, 6].map((at) => ({ start: at, end: at })))
    expect(await found('^.*$', 'a\r\nbc\n')).toEqual(['a', 'bc', ''])
    expect(await found('\\A\\w+|\\w+\\z', 'ab cd\nef gh')).toEqual(['ab', 'gh'])
    expect(await found('(?-m)^\\w+', 'ab\ncd')).toEqual(['ab'])
    expect(await found('(?s)a.*b', 'a\r\n\r\nb')).toEqual(['a\r\n\r\nb'])
  })

  test('words and cases are those of Unicode', async () => {
    expect(await found('(?i)GRÜSSE|\\bé\\w+', 'grüsse élan')).toEqual(['grüsse', 'élan'])
  })
})

describe('what is refused', () => {
  verifies('TOOL-067', 'look-around and back-references are refused and say so', async () => {
    for (const pattern of ['(?=x)', '(?!x)', '(?<=x)y', '(?<!x)y'])
      await expect(patterns.findAll(pattern, 'xy')).rejects.toThrow(/look-around.*: match the surrounding/)
    for (const pattern of ['(a)\\1', '(?P<n>a)(?P=n)', '(?<n>a)\\k<n>'])
      await expect(patterns.findAll(pattern, 'aa')).rejects.toThrow(/a back-reference.*: write out/)
    await expect(patterns.findAll('(?=x)', 'x')).rejects.toBeInstanceOf(PatternInvalid)
  })

  test('a pattern or text beyond the limits', async () => {
    await expect(patterns.findAll('a'.repeat(PATTERN_MAX_CHARS + 1), 'a')).rejects.toThrow(
      /at most 1000 char/,
    )
    const text = 'a'.repeat(PATTERN_TEXT_MAX_BYTES)
    expect(await patterns.findAll('b', text)).toEqual([])
    await expect(patterns.findAll('b', `${text}a`)).rejects.toBeInstanceOf(PatternInvalid)
  })

  test('a pattern that is too large once it is written out', async () => {
    // Either the engine says so or its time is up first.
    const refused = await patterns.findAll('(?:\\pL{100}){100}', '').catch((error: Error) => error)
    expect(['PatternInvalid', 'PatternTimeout']).toContain((refused as Error).name)
  })
})

describe('the bound on time', () => {
  verifies('TOOL-066', 'nested repeats are searched for in linear time', async () => {
    expect(await patterns.findAll('(a+)+$', `${'a'.repeat(50_000)}!`)).toEqual([])
  })

  verifies('TOOL-066', 'what takes too long is stopped; others are answered meanwhile', async () => {
    const ends = new Set<string>()
    const over = new AbortController()
    async function pressOn(): Promise<void> {
      for (let round = 0; round < 100 && !over.signal.aborted; round += 1)
        await patterns.findAll(SLOW, SLOW_TEXT).catch((error: Error) => ends.add(error.name))
    }
    const pressure = pressOn()
    try {
      for (let round = 0; round < 50; round += 1) expect(await patterns.findAll('b', 'abab')).toHaveLength(2)
    } finally {
      over.abort()
      await pressure
    }
    expect(ends).toEqual(new Set(['PatternTimeout']))
  })

  test('leaves the rest of the process free to go on', async () => {
    const over = new AbortController()
    const slow = patterns.findAll(SLOW, SLOW_TEXT).catch(() => over.abort())
    let turns = 0
    for (; !over.signal.aborted; turns += 1) await nextTurn()
    await slow
    expect(turns).toBeGreaterThan(10)
  })

  test('as many of them as there are threads keep nobody from an answer', async () => {
    const slow = Array.from({ length: 5 }, () => patterns.findAll(SLOW, SLOW_TEXT))
    const other = patterns.findAll('b', 'abab')
    for (const { reason } of (await Promise.allSettled(slow)) as PromiseRejectedResult[])
      expect(reason).toBeInstanceOf(PatternTimeout)
    expect((await other).length).toBe(2)
  })

  test('compiling counts', async () => {
    const endless = `(?:${'\\w{0,50}'.repeat(20)}){0,50}`
    await expect(patterns.findAll(endless, '')).rejects.toThrow()
    expect(await patterns.findAll('a', 'a')).toEqual([{ start: 0, end: 1 }])
  })
})

describe('the threads', () => {
  test('do not keep the process from ending', () => {
    const program = `
      const { openPatterns } = await import(${JSON.stringify(new URL('./open-patterns.ts', import.meta.url))})
      console.log((await openPatterns().findAll('a', 'banana')).length)`
    const { stdout, status } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
      timeout: 25_000,
    })
    expect({ stdout, status }).toEqual({ stdout: '3\n', status: 0 })
  })

  test('that are closed answer nobody, and leave nobody waiting', async () => {
    const own = openPatterns()
    expect(await own.findAll('a', 'a')).toHaveLength(1)
    const open = Array.from({ length: 8 }, () => own.findAll(SLOW, SLOW_TEXT))
    const ended = Promise.allSettled(open)
    await own.close()
    expect((await ended).map(({ status }) => status)).toEqual(open.map(() => 'rejected'))
    await expect(own.findAll('a', 'a')).rejects.toThrow(/closed/)
  })
})
