import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { kindOf } from '../walk/kind-of.ts'
import { chunkDocument } from './chunk-document.ts'

/** `name start-end` of each chunk. */
const outline = (path: string, text: string) =>
  chunkDocument(path, text).map(({ name, start_line, end_line }) => `${name} ${start_line}-${end_line}`)

describe('a source is cut at its definitions', () => {
  it('in TypeScript, with comments, decorators, classes, methods and constants', () => {
    const text = [
      "import { x } from 'x'", // 1
      '', // 2
      '/** Adds. */', // 3
      'export function add(', // 4
      '  a: number,', // 5
      '): number {', // 6
      "  return '/*' + `", // 7
      'function notHere() {', // 8
      '`', // 9
      '}', // 10
      '', // 11
      '@Injectable()', // 12
      'class Box<T> {', // 13
      '  size = 1', // 14
      '', // 15
      '  // Opens.', // 16
      '  async open(): Promise<void> {', // 17
      '    if (a) { b() }', // 18
      '  }', // 19
      '', // 20
      '  close = () => {', // 21
      '    c()', // 22
      '  }', // 23
      '}', // 24
      'const later = async () => 1', // 25
    ].join('\n')
    expect(outline('a.ts', text)).toEqual([
      ' 1-1',
      'add 3-10',
      'Box 12-14',
      'Box.open 16-19',
      'Box.close 21-23',
      'later 25-25',
    ])
  })

  it.each([
    [
      'a.py',
      'import os\n\n@cached\ndef one(a):\n    """Doc.\n\ndef no():\n    """\n    return 1\n\nclass Two:\n    x = 1\n\n    def three(self):\n        pass\n',
      [' 1-1', 'one 3-9', 'Two 11-12', 'Two.three 14-15'],
    ],
    [
      'a.go',
      'package a\n\n// One does.\nfunc One(a int) error {\n\treturn nil\n}\n\ntype T struct {\n\ta int\n\tb int\n}\n\nfunc (t *T) Two() {\n}\n',
      [' 1-1', 'One 3-6', 'T 8-11', 'T.Two 13-14'],
    ],
    [
      'a.rs',
      '/// One.\n#[inline]\npub fn one<T>(a: T) -> T\nwhere\n    T: Copy,\n{\n    a\n}\n\nimpl<T> Show for Two<T> {\n    fn show(&self) {\n        x()\n    }\n}\n',
      ['one 1-8', 'Two 10-10', 'Two.show 11-13'],
    ],
    [
      'A.java',
      'class A {\n  private int a;\n\n  /** Gets. */\n  @Override\n  public int getA() {\n    return a;\n  }\n\n  A(int a)\n  {\n    this.a = a;\n  }\n}\n',
      ['A 1-2', 'A.getA 4-8', 'A.A 10-13'],
    ],
    [
      'a.c',
      'static int add(int a, int b)\n{\n  return a + b;\n}\n\nint main(void) {\n  return 0;\n}\n',
      ['add 1-4', 'main 6-8'],
    ],
    [
      'a.rb',
      'class A\n  def one?\n    1\n  end\n\n  def two\n    2\n  end\nend\n',
      ['A 1-1', 'A.one? 2-4', 'A.two 6-8'],
    ],
    ['a.kt', 'class A {\n  fun String.one(): Int {\n    return 1\n  }\n}\n', ['A 1-1', 'A.one 2-4']],
    [
      'a.php',
      '<?php\nclass A\n{\n    public function one()\n    {\n        return 1;\n    }\n}\n',
      [' 1-1', 'A 2-3', 'A.one 4-7'],
    ],
    [
      'a.test.ts',
      "describe('a box', () => {\n  it('opens', () => {\n    open()\n  })\n})\n",
      ['a box 1-1', 'a box.opens 2-4'],
    ],
  ])('in %s', (path, text, expected) => {
    expect(outline(path, text)).toEqual(expected)
  })

  it('and a long function is cut into windows of its name', () => {
    const body = Array.from({ length: 200 }, (_, at) => `  step${at}()`).join('\n')
    const chunks = chunkDocument('a.ts', `function long() {\n${body}\n}`)
    expect(chunks.length).toBeGreaterThan(2)
    expect(new Set(chunks.map(({ name }) => name))).toEqual(new Set(['long']))
  })
})

it('tests inside a source of Rust are tests', () => {
  const text =
    'fn one() {\n    1\n}\n\n#[cfg(test)]\nmod tests {\n    #[test]\n    fn two() {\n        one()\n    }\n}\n'
  expect(chunkDocument('a.rs', text).map(({ name, kind }) => `${name} ${kind}`)).toEqual([
    'one code',
    'tests test',
    'tests.two test',
  ])
})

const kindsOf = (path: string, text: string) =>
  chunkDocument(path, text).map(({ name, kind }) => `${name} ${kind}`)

it('tests inside a source of Rust are tests wherever they stand, and inside one of Zig', () => {
  const rust =
    '/// One.\n#[tokio::test]\nasync fn free() {\n    one()\n}\n\n#[cfg(test)]\nmod check {\n    fn help() {\n        1\n    }\n}\nfn tests_run() {\n    1\n}\n'
  expect(kindsOf('a.rs', rust)).toEqual(['free test', 'check test', 'check.help test', 'tests_run code'])
  const zig =
    'pub fn add(a: u8) u8 {\n    return a;\n}\n\n// Adds.\ntest "adds two" {\n    try add(1);\n}\n\ntest add {\n    _ = add;\n}\n\nconst testing = struct {\n    a: u8,\n    b: u8,\n    c: u8,\n};\n'
  expect(kindsOf('a.zig', zig)).toEqual(['add code', 'adds two test', 'test add test', 'testing code'])
})

it('a name in Kotlin may be any words', () => {
  expect(outline('a.kt', 'class A {\n  @Test\n  fun `opens a lid`() {\n    a()\n  }\n}\n')).toEqual([
    'A 1-1',
    'A.opens a lid 2-5',
  ])
})

describe('prose is cut at its headings', () => {
  it('and each section is named by the trail that leads to it', () => {
    const text =
      'Intro.\n\n# Guide\nText.\n## Install\n```sh\n# no heading\n```\n### On `Linux`\nX.\n\nSetup\n-----\nY.\n'
    expect(outline('a.md', text)).toEqual([
      ' 1-1',
      'Guide 3-4',
      'Guide › Install 5-8',
      'Guide › Install › On Linux 9-10',
      'Guide › Setup 12-14',
    ])
  })

  it('also where a heading has no words', () => {
    expect(outline('a.md', '# A\nb\n## \nc\n')).toEqual(['A 1-2', 'A 3-4'])
  })
})

it('other text is cut into windows', () => {
  const text = Array.from({ length: 120 }, (_, at) => `key_${at}: 1`).join('\n')
  expect(outline('a.yaml', text)).toEqual([' 1-50', ' 51-120'])
})

it.each(['\n', '\r\n', '\r'])(
  'lines are counted as the other tools count them, with %j between them',
  (end) => {
    const text = ['# A', 'b', '', '# C', 'd'].join(end)
    expect(outline('a.md', text)).toEqual(['A 1-2', 'C 4-5'])
    if (end !== '\r') expect(outline('a.md', text.replace('b', 'a\rb'))).toEqual(['A 1-2', 'C 4-5'])
  },
)

const LINES = (
  '|}|{|/*|*/|`|"""|# A|===|```|end|@x|#[a]|class A {|  def b:|function a() {|\tfn b() {|if (a) {|' +
  "describe('x', () => {|// c|const a = {|impl<T> A for B {"
).split('|')

describe('whatever the text', () => {
  const line = fc.oneof(fc.constantFrom(...LINES), fc.string({ unit: 'binary', maxLength: 40 }))
  const text = fc.array(line, { maxLength: 200 }).map((lines) => lines.join('\n'))
  const path = fc.constantFrom(
    'a.ts',
    'a.py',
    'a.go',
    'a.rs',
    'a.c',
    'a.rb',
    'a.lua',
    'a.md',
    'a.rst',
    'a.json',
    'a',
  )

  it('chunks are in order, have exactly their lines, and leave out no line with words', () => {
    fc.assert(
      fc.property(path, text, (file, content) => {
        const lines = content.includes('\n') ? content.split(/\r?\n/) : content.split('\r')
        const isCovered = new Uint8Array(lines.length)
        let last = 0
        for (const { start_line, end_line, text: held } of chunkDocument(file, content)) {
          expect(start_line).toBeGreaterThan(last)
          expect(held).toBe(
            lines
              .slice(start_line - 1, end_line)
              .join('\n')
              .slice(0, held.length),
          )
          isCovered.fill(1, start_line - 1, end_line)
          last = end_line
        }
        const missed = lines.filter(
          (one, at) => !isCovered[at] && /[\p{L}\p{N}]/u.test(one) && !/^\s*end\s*$/.test(one),
        )
        expect(missed).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})

it.each([
  ['src/a.ts', 'code'],
  ['src/a.test.ts', 'test'],
  ['tests/a.py', 'test'],
  ['pkg/a_test.go', 'test'],
  ['src/main/java/LatestThing.java', 'code'],
  ['src/test/java/AThingTest.java', 'test'],
  ['src/testing/clock.ts', 'code'],
  ['fixtures/shop.py', 'code'],
  ['spec/models/user.rb', 'code'],
  ['spec/models/user_spec.rb', 'test'],
  ['test/Shop.Core.Tests/Helper.cs', 'test'],
  ['Shop.Core.Tests/Helper.cs', 'test'],
  ['core/src/commonTest/kotlin/Helper.kt', 'test'],
  ['README.md', 'doc'],
  ['docs/specs/a.txt', 'doc'],
  ['LICENSE', 'doc'],
  ['package.json', 'config'],
  ['Dockerfile', 'config'],
  ['.github/workflows/a.yml', 'config'],
  ['src/attest/a.ts', 'code'],
])('%s is %s', (path, kind) => {
  expect(kindOf(path)).toBe(kind)
})
