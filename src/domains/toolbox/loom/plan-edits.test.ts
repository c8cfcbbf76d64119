import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { openPatterns } from '../../../platform/patterns/open-patterns.ts'
import { ToolFault } from '../tool-fault.ts'
import { type Edit, OPERATIONS } from './edit.ts'
import type { Engines } from './find-matches.ts'
import { editNaively } from './naive-edits.fixture.ts'
import { planEdits } from './plan-edits.ts'

const EXACT_ONLY: Engines = {
  findPattern: () => Promise.reject(new Error('no patterns here')),
  findNodes: () => Promise.reject(new Error('no syntax here')),
}

/** Few letters, so that texts repeat themselves; the rest is what edits go wrong with. */
const PIECES = ['a', 'b', 'ab', ' ', '\n', '\n', '\r\n', '😀', 'é', '$1', '$&', '\\1', '\ufeff', '\t']
const CRLF_PIECES = PIECES.filter((piece) => piece !== '\n')
const textOf = (pieces: readonly string[], maxLength: number) =>
  fc.array(fc.constantFrom(...pieces), { maxLength }).map((parts) => parts.join(''))
const anyText = fc.oneof(textOf(PIECES, 40), textOf(CRLF_PIECES, 40))

/** A text and edits on it, most of which fit. */
const anyCase = anyText.chain((text) => {
  const letters = [...text.replace(/^\ufeff/, '')]
  const slice = fc
    .tuple(fc.nat(letters.length), fc.integer({ min: 1, max: 5 }))
    .map(([start, length]) => letters.slice(start, start + length).join(''))
  const spec = fc.oneof({ weight: 8, arbitrary: slice }, { weight: 1, arbitrary: textOf(PIECES, 3) })
  const edit = fc.record({
    operation: fc.constantFrom(...OPERATIONS),
    spec: spec.filter((one) => one !== '' && !one.startsWith('\ufeff')),
    content: textOf(PIECES, 5),
    miscount: fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) }),
  })
  const count = (one: string) => text.replace(/^\ufeff/, '').split(one).length - 1
  return fc.array(edit, { minLength: 1, maxLength: 3 }).map((edits) => ({
    text,
    edits: edits.map(({ miscount, ...rest }): Edit => {
      return { ...rest, match_mode: 'exact', count: Math.max(1, count(rest.spec) + miscount) }
    }),
  }))
})

async function outcomeOf(
  text: string,
  edits: readonly Edit[],
  engines: Engines,
): Promise<{ text: string } | { code: string }> {
  try {
    return { text: (await planEdits(text, edits, engines)).text }
  } catch (error) {
    if (error instanceof ToolFault) return { code: error.code }
    throw error
  }
}

describe('planned edits', () => {
  test('are what a plain reading of the rules makes of them', async () => {
    let successes = 0
    await fc.assert(
      fc.asyncProperty(anyCase, async ({ text, edits }) => {
        const mark = text.startsWith('\ufeff') ? '\ufeff' : ''
        const naive = editNaively(text.slice(mark.length), edits)
        const expected = 'text' in naive ? { text: mark + naive.text } : naive
        expect(await outcomeOf(text, edits, EXACT_ONLY)).toEqual(expected)
        if ('text' in expected) successes += 1
      }),
      { numRuns: 3_000 },
    )
    expect(successes).toBeGreaterThan(500)
  })

  test('leave every character outside of the matches as it is', async () => {
    await fc.assert(
      fc.asyncProperty(anyText, anyText, anyText, async (before, after, content) => {
        const edit: Edit = { operation: 'replace', match_mode: 'exact', spec: '<spot>', content, count: 1 }
        const outcome = await outcomeOf(`${before}<spot>${after}`, [edit], EXACT_ONLY)
        if (!('text' in outcome)) throw new Error(outcome.code)
        expect(outcome.text.startsWith(before)).toBe(true)
        expect(outcome.text.endsWith(after)).toBe(true)
      }),
    )
  })

  test('by regex are those by text, where the regex is the text', async () => {
    const patterns = openPatterns()
    const engines = { ...EXACT_ONLY, findPattern: patterns.findAll }
    try {
      // The first uses of a thread compile the engine itself, which a busy machine may take too long for.
      for (let call = 0; call < 20; call += 1) await patterns.findAll('a', 'a').catch(() => [])
      await fc.assert(
        fc.asyncProperty(anyCase, async ({ text, edits }) => {
          const by_regex = edits.map(
            (edit): Edit => ({ ...edit, match_mode: 'regex', spec: escape(edit.spec) }),
          )
          expect(await outcomeOf(text, by_regex, engines)).toEqual(await outcomeOf(text, edits, EXACT_ONLY))
        }),
        { numRuns: 150 },
      )
    } finally {
      await patterns.close()
    }
  })
})

/** A pattern for exactly these characters. */
function escape(text: string): string {
  return [...text].map((letter) => `\\x{${letter.codePointAt(0)?.toString(16)}}`).join('')
}
