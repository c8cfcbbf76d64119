import { describe, expect, it } from 'vitest'
import { findLanguage } from './code-languages.ts'
import {
  hasSignAt,
  isBlankAt,
  isContinuedAt,
  isEndAt,
  isWordlessAt,
  lineAt,
  mayAnnotateAt,
  scanLines,
} from './scan-lines.ts'
import { BLANK, CODE, COMMENT, INSIDE } from './source-line.ts'

/** What the lines of a source are. */
function kindsOf(ending: string, ...lines: string[]) {
  return scanLines(lines.join('\n'), findLanguage(`a.${ending}`)).kinds
}

describe('the lines of a source', () => {
  it.each([
    ['ts', ['/* a', 'b', '*/', 'c', '', '// d'], [COMMENT, COMMENT, COMMENT, CODE, BLANK, COMMENT]],
    ['ts', ['const a = `b', 'c', '`', 'd'], [CODE, INSIDE, INSIDE, CODE]],
    ['ts', ["'don\\'t /*'", 'a'], [CODE, CODE]],
    ['ts', ['return /`/', 'a'], [CODE, CODE]],
    ['ts', ['a / `b', 'c'], [CODE, INSIDE]],
    ['ts', ['\u3000', '  é'], [BLANK, CODE]],
    ['py', ['"""a', 'b"""', '# c'], [CODE, INSIDE, COMMENT]],
    ['py', ["x = '''", "\\'''", "'''"], [CODE, INSIDE, INSIDE]],
    ['rs', ['r#"a', '"', '"#', "'static"], [CODE, INSIDE, INSIDE, CODE]],
    ['rs', ['#[test]', "let a = 'b';"], [CODE, CODE]],
    ['lua', ['-- a', '/* b', '*/'], [COMMENT, COMMENT, COMMENT]],
    ['php', ['# a', '#[A]', '#!b'], [COMMENT, CODE, CODE]],
  ])('in .%s are told by what was open before: %j', (ending, lines, kinds) => {
    expect(kindsOf(ending, ...lines)).toEqual(kinds)
  })

  it.each([
    '}',
    ')',
    '.then()',
    'else {',
    'elif x:',
    'end',
    'finally',
    'catch (e)',
    'label:',
    '  && a',
    'else',
  ])('go on with what stands before: %s', (line) => {
    expect(isContinuedAt(scanLines(line, findLanguage('a.ts')), 0)).toBe(true)
  })

  it.each(['ensure(', 'end?', 'a: b', 'word', 'elsewhere', 'else: a', '@Name', ''])('do not: %j', (line) => {
    expect(isContinuedAt(scanLines(line, findLanguage('a.ts')), 0)).toBe(false)
  })

  it('leave what is open as it was where they are too long', () => {
    const long = `${'a'.repeat(3_998)}/*`
    expect(kindsOf('ts', long, 'a')).toEqual([CODE, COMMENT])
    expect(kindsOf('ts', `a${long}`, 'a')).toEqual([CODE, CODE])
  })

  it('are indented no further than can be counted', () => {
    const { indents } = scanLines(`${'\t'.repeat(20_000)}a\n\t a`, findLanguage('a.ts'))
    expect(indents).toEqual([65_535, 5])
  })
})

it('lines begin and end where the text says, and have their signs', () => {
  const scanned = scanLines('xx\n\n  dé\n# é\n  @a\n\u00a0\n{ }\nend ', undefined)
  const all = Array.from({ length: scanned.count }, (_, line) => line)
  expect(scanned.starts).toEqual([0, 3, 4, 9, 13, 18, 20, 24, 29])
  expect(all.map((line) => lineAt(scanned, line))).toEqual([
    'xx',
    '',
    '  dé',
    '# é',
    '  @a',
    '\u00a0',
    '{ }',
    'end ',
  ])
  const where = (is: (line: number) => boolean) => all.filter(is)
  expect(where((line) => isBlankAt(scanned, line))).toEqual([1, 5])
  expect(where((line) => isWordlessAt(scanned, line))).toEqual([1, 5, 6])
  expect(where((line) => hasSignAt(scanned, line))).toEqual([3])
  expect(where((line) => mayAnnotateAt(scanned, line))).toEqual([3, 4])
  expect(where((line) => isEndAt(scanned, line))).toEqual([7])
  expect(isBlankAt(scanned, -1) && isBlankAt(scanned, 99)).toBe(true)
})
