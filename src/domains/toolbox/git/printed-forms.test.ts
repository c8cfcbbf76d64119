import { describe, expect, test } from 'vitest'
import { findPath, parseAddedLines } from './added-lines.ts'
import { parseRawDiff } from './raw-diff.ts'
import { parseStaged } from './staged-changes.ts'
import { isConflict, quotedPath, renderStatus, statusLines } from './status-lines.ts'
import type { IndexEntry } from './tree/index-entries.ts'

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

const NOTHING: IndexEntry['stat'] = {
  ctime_s: 0,
  ctime_ns: 0,
  mtime_s: 0,
  mtime_ns: 0,
  ino: 0,
  uid: 0,
  gid: 0,
  size: 0,
}

function unmerged(path: string, ...stages: number[]): IndexEntry[] {
  const entry = { path, mode: '100644', id: 'a', stat: NOTHING, is_skipped: false, is_intended: false }
  return stages.map((stage) => ({ ...entry, stage }))
}

describe('a short status', () => {
  test('joins what is staged, changed, in conflict and untracked, as git prints it', () => {
    const staged =
      ':100644 100644 a b M\0a.txt\0:100644 100644 a a R100\0old.txt\0new -> name.txt\0:000000 100644 0 b A\0d\0'
    const changed = new Map([
      ['b c.txt', 'M'],
      ['d', 'D'],
    ] as const)
    const lines = statusLines(parseRawDiff(staged).changes, unmerged('e', 1, 2, 3), {
      changed,
      untracked: ['z/', 'f'],
    })
    expect(renderStatus({ branch: 'main', is_born: true }, lines).split('\n')).toEqual([
      '## main',
      'M  a.txt',
      ' M "b c.txt"',
      'AD d',
      'UU e',
      'R  old.txt -> "new -> name.txt"',
      '?? f',
      '?? z/',
      '',
    ])
    expect(lines.filter(isConflict).map(({ path }) => path)).toEqual(['e'])
  })

  test.each([
    [[1], 'DD'],
    [[2], 'AU'],
    [[3], 'UA'],
    [[1, 2], 'UD'],
    [[1, 3], 'DU'],
    [[2, 3], 'AA'],
    [[1, 2, 3], 'UU'],
  ])('a conflict with the stages %j is %s', (stages, letters) => {
    const [line] = statusLines([], unmerged('x', ...stages), { changed: new Map(), untracked: [] })
    expect([line?.index, line?.tree].join('')).toBe(letters)
    expect(line && isConflict(line)).toBe(true)
  })

  test.each([
    [{ branch: 'main', is_born: false }, '## No commits yet on main\n'],
    [{ branch: undefined, is_born: true }, '## HEAD (no branch)\n'],
    [{ branch: 'feature/x', is_born: true }, '## feature/x\n'],
  ])('of %j begins with %j', (head, text) => {
    expect(renderStatus(head, [])).toBe(text)
  })

  test('puts odd names in quotes as git does', () => {
    expect(['a', 'a b', 'ü', 'a"b', 'a\\b', 'a\tb', 'a\x01b', '\x7f'].map(quotedPath)).toEqual([
      'a',
      '"a b"',
      'ü',
      '"a\\"b"',
      '"a\\\\b"',
      '"a\\tb"',
      '"a\\001b"',
      '"\\177"',
    ])
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
