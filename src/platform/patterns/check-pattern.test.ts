import { beforeAll, expect, test } from 'vitest'
import { type Engine, openEngine } from './engine.ts'
import { loadEngineModule } from './engine-module.ts'

let engine: Engine
beforeAll(async () => {
  engine = openEngine(await loadEngineModule())
})

const refuses = (pattern: string) => expect(() => engine.findAll(pattern, Buffer.from('abc')))

test.each([
  ['(?=x)', 'look-around at character 1'],
  ['ab(?<!x)', 'look-around at character 3'],
  ['(a)\\1', 'a back-reference at character 4'],
  ['(?P<n>a)(?P=n)', 'a back-reference at character 9'],
  ['(?>a)', 'an atomic group'],
  ['a++', 'a possessive quantifier at character 3'],
  ['a{2}+b', 'a possessive quantifier'],
  ['a?+', 'a possessive quantifier'],
  ['(?#c)a', 'a comment group'],
  ['(?(1)a|b)', 'a conditional group'],
  ['(a)(?1)', 'recursion'],
  ['(?R)', 'recursion'],
  ['(?&x)', 'recursion'],
  ['(?|a|b)', 'a branch reset group'],
  ["(?'n'a)", 'a group named in quotes'],
  ['(*FAIL)', 'a control verb'],
  ['(?a)\\w', 'the flag a or L'],
  ['a\\Z', '\\Z at character 2'],
  ['\\Ga', '\\G'],
  ['a\\Kb', '\\K'],
  ['\\Qa.b\\E', 'quoting with'],
  ['\\R', '\\R'],
  ['\\X', '\\X'],
  ['\\h', '\\h'],
  ['\\N{DASH}', '\\N'],
  ['\\0', 'an octal escape'],
  ['\\é', 'the escape of a letter'],
  ['\\<div\\>', 'an escaped angle bracket at character 1'],
  ['[\\<]', 'an escaped angle bracket within'],
  ['[\\b]', '\\b within'],
  ['[[a]', 'a [ within'],
  ['[[:nope:]]', 'a [ within'],
  ['[a&&b]', 'a set operation'],
  ['[+--]', 'a set operation'],
  ['foo {', 'a { that begins no count at character 5'],
  ['foo{bar}', 'a { that begins no count'],
  ['a{}', 'a { that begins no count'],
  ['a{,3}', 'a count without its lower end'],
  ['a{ 2 }', 'a { that begins no count at character 2'],
  ['a**', 'a repeat of a repeat at character 3'],
  ['a*??', 'a repeat of a repeat at character 4'],
  ['a*?*', 'a repeat of a repeat'],
  ['a*?+', 'a repeat of a repeat'],
  ['a?*', 'a repeat of a repeat'],
  ['[a]{2}{3}', 'a repeat of a repeat at character 7'],
  ['(a|b)+{2}', 'a repeat of a repeat'],
  ['(?x)a* *', 'a repeat of a repeat'],
  ['(?x)a* ?', 'a repeat of a repeat'],
  ['(?x)a* # any\n*', 'a repeat of a repeat'],
  ['^*', 'a repeat of a place that takes no characters at character 2'],
  ['a$+', 'a repeat of a place'],
  ['(?x)^ {2}', 'a repeat of a place'],
  ['\\b{2}', 'a repeat of a place'],
  ['\\b{start}?', 'a repeat of a place'],
  ['*a', 'missing expression'],
  ['a|+', 'missing expression'],
  ['(', 'unclosed group'],
  ['a)', 'unopened group'],
  ['[z-a]', 'invalid character class range'],
  ['\\p{Nope}', 'Unicode property not found'],
])('%s is refused by name', (pattern, name) => {
  refuses(pattern).toThrow(expect.objectContaining({ name: 'PatternInvalid' }))
  refuses(pattern).toThrow(name)
})

test.each([
  'a+?b',
  'a\\++',
  '[+]+',
  '(?:a+)+',
  'a*?b+?c??d{2}?',
  '[*][+]?\\**\\^*\\$+[$]*[^^]*',
  '(?:^)?',
  '(?x) a * b +? c',
  '(?<n>a)(?P<m>b)',
  '(?i)a(?-i:b)',
  '[[:alpha:]]+',
  '[^[:space:]]',
  '[\\[\\]]',
  '[]a]',
  '[^]]',
  'a{2,}b{3}',
  '\\{a\\}',
  'a}b]',
  '\\x41\\u0041\\u{41}\\x{1F600}',
  '\\pL\\p{Greek}',
  '(?x) a + # not a++',
  '\\b{start}a',
  '\\/\\-\\"\\_\\ ',
  '(?mR)^$',
])('%s is taken', (pattern) => {
  expect(engine.findAll(pattern, Buffer.from('zzz'))).toBeInstanceOf(Array)
})

test('an engine that has seen many patterns and matches finds as before', () => {
  // Compiled patterns and lists of matches take more memory than the engine may keep, several times over.
  const text = Buffer.from('word '.repeat(2_000))
  for (let round = 0; round < 300; round += 1)
    expect(engine.findAll(`\\w+ (?:nope${round})?`, text)).toHaveLength(4_000)
}, 60_000)

test('nesting that is too deep is refused, and the engine goes on', () => {
  refuses(`${'('.repeat(490)}a${')'.repeat(490)}`).toThrow(
    expect.objectContaining({ name: 'PatternInvalid' }),
  )
  expect(engine.findAll('b', Buffer.from('abc'))).toEqual([1, 2])
})
