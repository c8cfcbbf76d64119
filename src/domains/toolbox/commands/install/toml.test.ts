import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { readToml, TomlFault, TomlLiteral, type TomlTable, type TomlValue, writeToml } from './toml.ts'

function plain(value: TomlValue): unknown {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, item]) => [key, plain(item)]))
  if (Array.isArray(value)) return value.map((item) => plain(item))
  return value instanceof TomlLiteral ? { literal: String(value.value) } : value
}

const read = (...lines: string[]): unknown => plain(readToml(Buffer.from(lines.join('\n'))))

describe('TOML', () => {
  test.each([
    ['pairs', ['a = "x"', "b = 'y\\z' # c", '', '# d'], { a: 'x', b: 'y\\z' }],
    ['escapes', ['a = "\\u0067\\U00000069t\\t\\"\\\\"'], { a: 'git\t"\\' }],
    ['keys of every form', ['"a b".c . \'d\' = "x"'], { 'a b': { c: { d: 'x' } } }],
    ['tables', ['[a]', 'x = "1"', '[a.b]', 'y = "2"'], { a: { x: '1', b: { y: '2' } } }],
    [
      'lists of tables',
      ['[[a]]', 'x = "1"', '[[a]]', '[a.b]', 'y = "2"'],
      { a: [{ x: '1' }, { b: { y: '2' } }] },
    ],
    ['tables in a line', ['a = { b = "x", c.d = "y" }', 'e = {}'], { a: { b: 'x', c: { d: 'y' } }, e: {} }],
    ['lists over lines', ['a = [ # first', '  "x",', '  ["y"],', ']'], { a: ['x', ['y']] }],
    ['long texts', ['a = """', 'x\\', '   y"z"""', "b = '''", "p'q'''"], { a: 'xy"z', b: "p'q" }],
    [
      'what is no text',
      ['a = 1_0', 'b = true', 'c = 2020-01-02T03:04:05Z'],
      { a: { literal: '10' }, b: { literal: 'true' }, c: { literal: expect.stringContaining('2020') } },
    ],
    ['a quote before the end of a long text', ['a = """x""""'], { a: 'x"' }],
    ['line ends of two characters', ['[a]\r', 'b = "x"\r', ''], { a: { b: 'x' } }],
  ])('%s are read', (_what, lines, expected) => expect(read(...lines)).toEqual(expected))

  test.each([
    ['a key twice', ['a = "x"', 'a = "y"']],
    ['a table twice', ['[a]', '[b]', '[a]']],
    ['an addition to a complete table', ['a = { b = "x" }', 'a.c = "y"']],
    ['an addition to a complete list', ['a = [{}]', '[[a]]']],
    ['a table for a text', ['a = "x"', '[a.b]']],
    ['two pairs in a line', ['a = "x" b = "y"']],
    ['a text without end', ['a = "x']],
    ['an unknown escape', ['a = "\\y41"']],
    ['half a character', ['a = "\\ud800"']],
    ['a list without end', ['a = ["x"']],
    ['a lone carriage return', ['a = "x"\rb = "y"']],
    ['a comment with a carriage return', ['# a\rb = "y"']],
    ['a mark at the beginning', ['\ufeffa = "x"']],
    ['no value', ['a =']],
    ['no key', ['= "x"']],
    ['too long a key', [`${'a.'.repeat(50)}b = "x"`]],
    ['too many lists', [`a = ${'['.repeat(50)}${']'.repeat(50)}`]],
  ])('%s is refused', (_what, lines) => expect(() => read(...lines)).toThrow(TomlFault))

  test('a key that every object has is one like any other', () => {
    const table = readToml(Buffer.from('[__proto__]\nconstructor = "x"'))
    expect(table).toEqual(new Map([['__proto__', new Map([['constructor', 'x']])]]))
    expect(readToml(Buffer.from(writeToml(table)))).toEqual(table)
  })

  test('a fault names the line and repeats nothing of it', () => {
    expect(() => read('a = "x"', 'password = hunter2')).toThrow('line 2 cannot be read')
  })

  test('what is no UTF-8 is refused', () => {
    expect(() => readToml(Buffer.from([0x61, 0x3d, 0x22, 0xff, 0x22]))).toThrow(TomlFault)
  })

  test('whatever is written is read as the same', () => {
    const text = fc.string({ unit: 'grapheme' })
    const { value } = fc.letrec<{ value: TomlValue }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        text,
        fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n).map((number) => new TomlLiteral(number)),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.array(fc.tuple(text, tie('value')), { maxLength: 3 }).map((pairs) => new Map(pairs)),
      ),
    }))
    const table = fc.array(fc.tuple(text, value), { maxLength: 5 }).map((pairs): TomlTable => new Map(pairs))
    fc.assert(
      fc.property(table, (given) => {
        expect(readToml(Buffer.from(writeToml(given)))).toEqual(given)
      }),
    )
  })
})
