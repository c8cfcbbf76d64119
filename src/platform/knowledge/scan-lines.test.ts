import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { findLanguage, type Language } from './code-languages.ts'
import { IS_CONTINUED, IS_ODD, marksOf } from './line-marks.ts'
import { scanLines, scanTexts } from './scan-lines.ts'
import { CODE, findOpen, kindOfLine } from './source-line.ts'

const ENDINGS = ['ts', 'c', 'java', 'go', 'rs', 'kt', 'php', 'py', 'rb', 'sh', 'lua', 'sql']

const fragment = fc.constantFrom(
  '/*',
  '*/',
  '/**',
  '//',
  '#',
  '#[',
  '#!',
  '--',
  '`',
  '"',
  "'",
  '"""',
  "'''",
  '\\',
  '\\"',
  '\\`',
  '/',
  '[',
  ']',
  'r"',
  'r#"',
  '"#',
  "'a'",
  "'static",
  'return /',
  '(/',
  ' = /',
  '/g',
  'a / b',
  '=>',
  '{',
  '}',
  ')',
  ';',
  ',',
  '.',
  'else',
  'else:',
  'else {',
  'elif x:',
  'end',
  'end ',
  'end?',
  'finally',
  'except:',
  'where',
  'catch',
  'catch (e)',
  'label:',
  'a: b',
  'ensure(',
  'rescue => e',
  'word',
  'Word1',
  '_',
  '0',
  ' ',
  '  ',
  '\t',
  '\v',
  '\f',
  '\r',
  'é',
  '数',
  '\u00a0',
  '\u3000',
  '\ufeff',
  '😀',
  '@Name',
  '@Name(',
  '[Name]',
  '# Title',
  '===',
  '~~~',
  '* item',
  '+',
)
/** Slashes that begin a pattern, or do not, by what stands before them. */
const slashed = fc
  .constantFrom(...'(,=:[!&|?{};+', 'return', 'returns', ' ', 'a', ')')
  .map((before) => `${before} /\`/ `)
const line = fc.oneof(
  { weight: 2, arbitrary: slashed },
  { weight: 8, arbitrary: fc.array(fragment, { maxLength: 8 }).map((parts) => parts.join('')) },
  {
    weight: 1,
    arbitrary: fc.string({ unit: 'binary', maxLength: 30 }).map((text) => text.replaceAll('\n', ' ')),
  },
)

/** What lines are, told one after the other from their texts. */
function readAll(lines: readonly string[], language: Language) {
  let open = ''
  return lines.map((text) => {
    const kind = kindOfLine(text, open, language)
    open = findOpen(text, open, language)
    return { kind, ...told(text, kind) }
  })
}

function told(text: string, kind: number) {
  const width = [...(/^[ \t]*/.exec(text)?.[0] ?? '')].reduce((sum, one) => sum + (one === '\t' ? 4 : 1), 0)
  const isPlain = /^\p{ASCII}*$/u.test(text)
  const marks = isPlain ? marksOf(text) & ~IS_ODD : marksOf(text)
  // Of what is no code it is not asked whether it goes on.
  return { text, indent: width, marks: kind === CODE || !isPlain ? marks : marks & ~IS_CONTINUED }
}

describe.each(ENDINGS)('the lines of a source in .%s', (ending) => {
  const language = findLanguage(`a.${ending}`) as Language

  it('are what their texts tell, whatever they are', () => {
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), (given) => {
        const lines = given.map((text) => text.toWellFormed())
        const scanned = scanTexts(lines, language)
        const found = Array.from({ length: scanned.count }, (_, at) => ({
          kind: scanned.kinds[at],
          text: scanned.textOf(at),
          indent: scanned.indents[at],
          marks: scanned.marks[at],
        }))
        expect(found).toEqual(readAll(lines, language))
      }),
      { numRuns: 400 },
    )
  })
})

it('are told of in prose too', () => {
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 12 }), (given) => {
      const lines = given.map((text) => text.toWellFormed())
      const { count, marks, textOf } = scanTexts(lines, undefined)
      expect(count).toBe(lines.length)
      for (const [at, text] of lines.entries()) {
        expect(textOf(at)).toBe(text)
        expect((marks[at] as number) & ~IS_CONTINUED).toBe(told(text, CODE).marks & ~IS_CONTINUED)
      }
    }),
  )
})

it('begin where the bytes say, at whatever place of a block these lie', () => {
  const bytes = Buffer.from('xx\n\n  dé\n').subarray(1)
  const { count, starts, indents } = scanLines(bytes, undefined)
  expect([count, ...starts]).toEqual([4, 0, 2, 3, 9, 10])
  expect([...indents]).toEqual([0, 0, 2, 0])
})

it('are indented no further than can be counted', () => {
  const wide = `${'\t'.repeat(20_000)}a`
  expect(scanTexts([wide, 'a'], findLanguage('a.ts')).indents[0]).toBe(65_535)
})

it('leave what is open as it was where they are too long', () => {
  const long = `${'a'.repeat(3_998)}/*`
  const kinds = [long, `a${long}`].map((first) => [...scanTexts([first, 'a'], findLanguage('a.ts')).kinds])
  expect(kinds).toEqual([
    [2, 1],
    [2, 2],
  ])
})
