import { describe, expect, test } from 'vitest'
import { parseAddedLines } from './added-lines.ts'
import { findPath } from './quoted-path.ts'
import { parseStaged } from './staged-changes.ts'
import { isConflict, parseShortStatus } from './status-lines.ts'

describe('a path as git prints it', () => {
  test.each([
    ['plain.txt', 'plain.txt'],
    ['"a\\tb"', 'a\tb'],
    ['"\\303\\266.txt"', 'ö.txt'],
    ['"say \\"hi\\" \\\\"', 'say "hi" \\'],
    ['"a b"', 'a b'],
  ])('%s', (printed, path) => {
    expect(findPath(printed)).toBe(path)
  })

  test('with a broken quote is none', () => {
    for (const printed of ['"', '"a', '"\\q"', '"\\"']) expect(findPath(printed), printed).toBeUndefined()
  })
})

describe('a short status', () => {
  test('gives branch, both letters and real paths', () => {
    const text =
      '## main...origin/main [ahead 1]\nM  a.txt\n M "b c.txt"\nR  old.txt -> "new -> name.txt"\n?? d/\nUU e\n'
    const { branch, lines } = parseShortStatus(text)
    expect(branch).toBe('main')
    expect(lines.map(({ index, tree, path, from }) => [index, tree, path, from])).toEqual([
      ['M', ' ', 'a.txt', undefined],
      [' ', 'M', 'b c.txt', undefined],
      ['R', ' ', 'new -> name.txt', 'old.txt'],
      ['?', '?', 'd/', undefined],
      ['U', 'U', 'e', undefined],
    ])
    expect(lines.filter(isConflict).map(({ path }) => path)).toEqual(['e'])
  })

  test.each([
    ['## No commits yet on main\n', 'main'],
    ['## HEAD (no branch)\n', undefined],
    ['## feature/x\n', 'feature/x'],
    ['', undefined],
  ])('%j is on branch %s', (text, branch) => {
    expect(parseShortStatus(text).branch).toBe(branch)
  })
})

describe('a patch', () => {
  test('gives the new side of every run with its line numbers', () => {
    const patch = [
      'diff --git a/x b/x',
      '--- a/x',
      '+++ b/x',
      '@@ -1,2 +1,3 @@',
      ' one',
      '+++ looks like a header',
      '-gone',
      '+three',
      'diff --git a/gone b/gone',
      '--- a/gone',
      '+++ /dev/null',
      '@@ -1 +0,0 @@',
      '-bye',
      '',
    ].join('\n')
    expect(parseAddedLines(patch)).toEqual([
      {
        path: 'x',
        lines: [
          { number: 1, text: 'one', is_added: false },
          { number: 2, text: '++ looks like a header', is_added: true },
          { number: 3, text: 'three', is_added: true },
        ],
      },
    ])
  })

  test('behind a raw list is read apart from it', () => {
    const raw = ':100644 100644 abc1234 def5678 M\0s/a b\0:000000 100644 0000000 def5678 U\0s/c\0'
    const staged = parseStaged(
      `${raw}\0diff --git a/s/a b b/s/a b\n--- a/s/a b\t\n+++ b/s/a b\t\n@@ -0,0 +1 @@\n+x\n`,
    )
    expect(staged.paths).toEqual(['s/a b', 's/c'])
    expect(staged.conflicted).toEqual(['s/c'])
    expect(staged.runs).toEqual([{ path: 's/a b', lines: [{ number: 1, text: 'x', is_added: true }] }])
  })
})
