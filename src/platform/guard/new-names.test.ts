import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FileFault } from './guard.ts'
import { makeProject, outcomeOf } from './guard-project.fixture.ts'
import { checkNewName } from './new-names.ts'

const HIDING = [
  'a\u202etxt.exe',
  'main\u200b.ts',
  '\ufeffmain.ts',
  'ma\u2060in.ts',
  'a\u00adb',
  'a\u200db',
  'می\u200c\u200cخواهم',
  '\u200cمی',
  'x\u2066y\u2069',
  'a\ufe0f',
  'a\u{e0061}',
  '\u3164',
  '\u2800',
  'क\u200d',
  '👩\u200d',
  '\u{1f3f4}\u{e0061}\u{e0062}',
  'a\u{e0100}',
]
const HONEST = [
  'main.ts',
  'über straße.md',
  '日本語.txt',
  'می\u200cخواهم.txt',
  'क्\u200dष.md',
  'ශ්\u200dරී',
  '👩\u200d💻.md',
  '❤️.md',
  '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}.svg',
  '1️⃣.txt',
  '☀\ufe0e',
  '\u0600\u0661',
  'שלום.txt',
  'e\u0301',
]

test('a new name that hides something is refused, by every name of the path, and nothing is made', () => {
  const project = makeProject()
  const guard = project.open()
  const before = project.snapshot()
  for (const name of HIDING)
    for (const path of [name, `src/${name}`, `new/${name}/x`, `${name}/y/x`]) {
      expect([path, outcomeOf(() => guard.writeFile(path, Buffer.from('x')))]).toEqual([
        path,
        'ValidationError',
      ])
      expect([path, outcomeOf(() => guard.check(path, 'write'))]).toEqual([path, 'ValidationError'])
    }
  expect(project.snapshot()).toEqual(before)
  for (const name of HONEST)
    expect([name, outcomeOf(() => guard.writeFile(`new/${name}`, Buffer.from('x')))]).toEqual([name, 'ok'])
  project.remove()
})

function message(name: string): string {
  try {
    checkNewName(name)
    return ''
  } catch (error) {
    return error instanceof FileFault ? error.message : 'another'
  }
}

test('the refusal spells the character out', () => {
  expect(message('a\u202etxt')).toContain('U+202E (right-to-left override)')
  expect(message('a\u{e0061}')).toContain('U+E0061')
  for (const name of HIDING) expect(message(name)).toMatch(/^[\x20-\x7e]+$/)
})

test('no name of plain letters is refused, and none that any such sign stands in is taken', () => {
  const sign = fc.constantFrom(...'\u200b\u200e\u200f\u202a\u202e\u2066\u2069\ufeff\u2060\u00ad\u061c')
  const word = fc.stringMatching(/^[a-zé0-9._-]{0,12}$/)
  fc.assert(
    fc.property(word, sign, word, (before, hidden, after) => {
      expect(() => checkNewName(before + after)).not.toThrow()
      expect(() => checkNewName(before + hidden + after)).toThrow(FileFault)
    }),
  )
})
