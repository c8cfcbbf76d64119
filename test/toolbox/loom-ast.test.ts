import { describe, expect, test } from 'vitest'
import { editFile } from '../../src/domains/toolbox/files/edit-file.ts'
import { AST_PATTERN_MAX_CHARS, findNodes } from '../../src/domains/toolbox/loom/ast/find-nodes.ts'
import { ToolFault } from '../../src/domains/toolbox/tool-fault.ts'
import { verifies } from '../requirements/verifies.ts'
import { makeFilesProject } from './files-project.fixture.ts'
import { playAll, replace } from './files-scenario.fixture.ts'

const ast = (spec: string, content: string, more: object = {}) =>
  replace(spec, content, { match_mode: 'ast', ...more })

/** Brackets in brackets. */
function nested(depth: number): string {
  return '['.repeat(depth) + ']'.repeat(depth)
}

/** What each pattern matches in the text; or the code of the fault. */
async function matchesOf(file_name: string, text: string, patterns: readonly string[]): Promise<unknown> {
  try {
    const found = await findNodes(file_name, patterns, text)
    return found.map((spans) => spans.map(({ start, end }) => text.slice(start, end)))
  } catch (error) {
    if (error instanceof ToolFault) return error.code
    throw error
  }
}

const PYTHON = '# 😀\ndef f(a, b):\n    print(a)\n    return b\n'
const GO = 'package main\n\nfunc main() {\n\tx := 1\n\tfmt.Println(x)\n}\n'
const RUST = 'struct S { a: u8 }\nfn main() { let x = 1; foo(2); }\n'
const JAVA = 'class A { void f(int x) { foo(1); } }\n'
const CSS = '.a { color: red; }\n'
const TS = 'class A { f() { return 1 } }\nfunction one(a: number) { return a }\nfoo(1); foo(2)\n'

describe('edits by syntax', () => {
  verifies('TOOL-054', 'match whole nodes and obey counts, lines and all-or-nothing', () =>
    playAll([
      {
        before: '// function a(b) { no }\r\nfunction a(b) { return "😀" }\r\nconst f = 1\r\n',
        edits: [ast('function $NAME($ARGS) { $$$ }', 'function c() {\n}')],
        after: '// function a(b) { no }\r\nfunction c() {\r\n}\r\nconst f = 1\r\n',
      },
      {
        before: '\ufefffoo(1)\nfoo( 2 )',
        edits: [ast('foo($A)', '$A', { count: 2 })],
        after: '\ufeff$A\n$A',
      },
      {
        before: 'foo(1)\nfoo(2)\n',
        edits: [ast('foo($A)', 'x')],
        code: 'PatchError',
        says: ['Expected 1, Found 2', 'lines 1, 2'],
      },
      { before: 'foo(foo(1))', edits: [ast('foo($A)', 'x', { count: 2 })], code: 'ValidationError' },
      { before: 'foo(1); bar(2)', edits: [ast('foo(1)', 'x'), replace('bar', 'y')], code: 'ValidationError' },
      { before: 'foo(1)\nbar(2)', edits: [ast('foo(1)', 'x'), replace('none', 'y')], code: 'PatchError' },
      { before: 'foo(1)\nbar(2)', edits: [ast('foo(1)', 'x'), ast('bar($A)', 'y')], after: 'x\ny' },
    ]),
  )

  verifies(
    'TOOL-054',
    'are refused for files of no known language, and never made in another way',
    async () => {
      const edits = [ast('foo', 'x')]
      for (const path of ['main.txt', 'main', 'ts', '.ts', 'main.ts.bak', 'main.constructor'])
        await playAll(
          [{ before: 'foo', edits, code: 'ValidationError', says: ['.ts', 'exact or regex'] }],
          path,
        )
    },
  )

  verifies(
    'TOOL-054',
    'are refused when the pattern is broken, also where the text itself is in the file',
    async () => {
      const broken = [
        'foo(',
        'function $A() {',
        ')',
        'a b c',
        'a; b',
        '$$$',
        '   ',
        '// x\n// y',
        '@@@',
        '#',
        'if (',
      ]
      await playAll(
        broken.map((spec) => ({
          before: `foo()\n/* ${spec} */\n`,
          edits: [ast(spec, 'x')],
          code: 'ValidationError',
          says: ['$NAME', 'exact'],
        })),
      )
    },
  )

  test.each([
    ['a.py', PYTHON, { 'def $N($$$A): $$$B': 1, 'print($X)': 1, 'return $X': 1, 'class $A: $$$': 0 }],
    ['a.go', GO, { 'fmt.Println($X)': 1, 'func $N($$$) { $$$ }': 1, 'x := $V': 1, 'package main': 1 }],
    ['a.rs', RUST, { 'struct $A { $$$ }': 1, 'let $A = $B': 1, 'foo($X)': 1, 'fn main() { $$$ }': 1 }],
    ['a.java', JAVA, { 'class $A { $$$ }': 1, 'void $N($$$) { $$$ }': 1, 'foo($X)': 1, 'foo($X);': 1 }],
    ['a.css', CSS, { '.a { $$$ }': 1, 'color: $X': 1, 'b { $$$ }': 0 }],
    ['a.html', '<p>😀<b>x</b></p>', { '<b>$A</b>': 1, '<i>$A</i>': 0 }],
    ['a.tsx', 'const a = <b>x</b>', { '<b>$$$</b>': 1 }],
    ['a.jsx', 'const a = <b>x</b>', { '<b>$$$</b>': 1 }],
    ['a.mts', TS, { 'foo($X)': 2, 'f() { $$$ }': 1, 'function $N($$$) { $$$ }': 1 }],
  ])('know the language of %s', async (file_name, text, counts) => {
    const found = await matchesOf(file_name, text, Object.keys(counts))
    expect((found as string[][]).map((matches) => matches.length)).toEqual(Object.values(counts))
  })

  verifies('TOOL-054', 'find a declaration as a field where it is no variable', async () => {
    const text = 'class A {\n  private int n = 1;\n  int f() { int m = 2; return m; }\n}\n'
    expect(await matchesOf('A.java', text, ['private int $X = $Y;', 'int m = $Y;', 'int n = $Y;'])).toEqual([
      ['private int n = 1;'],
      ['int m = 2;'],
      [],
    ])
    const script = 'class A {\n  n: number = 1\n}\n'
    expect(await matchesOf('a.ts', script, ['n: number = 1'])).toEqual([['n: number = 1']])
  })

  test.each([
    ['a.py', PYTHON, ['def f(', 'def f():', 'print(']],
    ['a.go', GO, ['func f(', 'if x {', 'x :=']],
    ['a.rs', RUST, ['fn f(', 'struct {', 'let = 1;']],
    ['a.java', JAVA, ['foo(', 'class {', 'void f(']],
    ['a.css', CSS, ['a {', '{{{', '@media']],
    ['a.html', '<b>x</b>', ['<b', '<b>', '</b>']],
  ])('refuse broken patterns for %s', async (file_name, text, patterns) => {
    for (const pattern of patterns)
      expect([pattern, await matchesOf(file_name, text, [pattern])]).toEqual([pattern, 'ValidationError'])
  })

  test('give the right places among characters of every width', async () => {
    const text = '/* é 漢 😀 */\r\nconst a = foo("😀")\r\n'
    expect(await matchesOf('a.ts', text, ['foo($A)', 'const a = $A'])).toEqual([
      ['foo("😀")'],
      ['const a = foo("😀")'],
    ])
  })

  test('in several languages change the file', async () => {
    await using project = await makeFilesProject()
    for (const [path, text, spec] of [
      ['a.py', PYTHON, 'print($X)'],
      ['a.go', GO, 'fmt.Println($X)'],
      ['a.rs', RUST, 'foo($X)'],
      ['a.java', JAVA, 'foo($X)'],
    ] as const) {
      project.put(path, text)
      expect((await project.call(editFile, { path, edits: [ast(spec, 'done()')] })).code).toBe('success')
      expect(project.text(path)).toBe(text.replace(/(print|fmt\.Println|foo)\(\w\)/, 'done()'))
    }
  })

  test('are stopped when the parser does not come to an end', async () => {
    // This grammar takes more than its square of time for such a text.
    const endless = 'a<'.repeat(100_000)
    const failing = findNodes('A.java', ['foo($A)'], endless, 1_000)
    await expect(failing).rejects.toMatchObject({ code: 'Timeout' })
  })

  test('wait for each other, many at once', async () => {
    const all = Array.from({ length: 7 }, (_, number) => matchesOf('a.ts', `foo(${number})`, ['foo($A)']))
    expect(await Promise.all(all)).toEqual(Array.from({ length: 7 }, (_, number) => [[`foo(${number})`]]))
  })

  test('do not let a pattern bring anything down', async () => {
    const longest = AST_PATTERN_MAX_CHARS / 2
    expect(await matchesOf('a.ts', nested(longest), [nested(longest)])).toEqual([[nested(longest)]])
    expect(await matchesOf('a.ts', nested(50_000), [nested(50_000)])).toBe('ValidationError')
    expect(await matchesOf('a.ts', nested(50_000), [nested(2)])).toEqual([[nested(2)]])
  })
})
