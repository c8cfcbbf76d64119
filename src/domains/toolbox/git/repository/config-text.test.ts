import { execFileSync, spawnSync } from 'node:child_process'
import { tmpdir } from 'node:os'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ConfigUnreadable, parseGitConfig, renderGitConfig } from './config-text.ts'

const ENV = { PATH: '/usr/bin:/bin', GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' }

/** What git itself reads, or nothing where it refuses the text. */
function listedByGit(text: string): [string, string | undefined][] | undefined {
  const { status, stdout } = spawnSync('git', ['config', '--no-includes', '-f', '-', '--list', '-z'], {
    input: text,
    env: ENV,
    cwd: tmpdir(),
    encoding: 'utf8',
  })
  if (status !== 0) return undefined
  const records = stdout.split('\0').slice(0, -1)
  return records.map((record) => {
    const end = record.indexOf('\n')
    return end < 0 ? [record, undefined] : [record.slice(0, end), record.slice(end + 1)]
  })
}

function listedHere(text: string): [string, string | undefined][] | undefined {
  try {
    return parseGitConfig(text).map(({ name, value }) => [name, value])
  } catch (error) {
    if (error instanceof ConfigUnreadable) return undefined
    throw error
  }
}

// Whether a tab inside a value stays one differs from version to version of git.
function withBlanks(entries: [string, string | undefined][] | undefined) {
  return entries?.map(([name, value]) => [name, value?.replaceAll('\t', ' ')])
}

const HEADERS = [
  '[core]',
  '[Core]',
  '[remote "origin"]',
  '[remote "a\\"b\\\\c"]',
  '[a.B]',
  '[filter "x y"]',
  '[bad',
  '["x"]',
]
const MARKS = [
  '\n',
  '\n',
  '\n',
  '\r\n',
  ' ',
  '\t',
  '=',
  ' = ',
  '#',
  ';',
  '"',
  '\\',
  '\\\n',
  '\\n',
  '\\"',
  '\\q',
  '"a ;b"',
]
const WORDS = ['bare', 'url', 'K-1', '1x', 'value', 'a  b', 'true', 'ö', '\uFEFF']

describe('the text of a git configuration', () => {
  test('is read as git reads it, and refused where git refuses it', () => {
    const text = fc
      .array(fc.constantFrom(...HEADERS, ...MARKS, ...WORDS), { maxLength: 14 })
      .map((pieces) => `[first]${pieces.join('')}`)
    fc.assert(
      fc.property(text, (drawn) => {
        expect(withBlanks(listedHere(drawn))).toEqual(withBlanks(listedByGit(drawn)))
      }),
      { numRuns: 150 },
    )
  }, 60_000)

  test.each([
    ['[core]\n\tbare = false\n', [['core.bare', 'false']]],
    ['[core] bare\n', [['core.bare', undefined]]],
    ['[Remote "Or.igin"]\nURL = a ; b\n', [['remote.Or.igin.url', 'a']]],
    ['[x]\na = "1 # 2" # 3\n', [['x.a', '1 # 2']]],
    ['[x]\na = one \\\n two\n', [['x.a', 'one  two']]],
    ['[include]\npath = /etc/x\n', [['include.path', '/etc/x']]],
  ])('%j', (text, entries) => {
    expect(listedHere(text)).toEqual(entries)
    expect(listedByGit(text)).toEqual(entries)
  })

  test('names the line that is broken, and bounds what it reads', () => {
    expect(() => parseGitConfig('[core]\nbare = false\nfoo bar\n')).toThrow('line 3')
    expect(() => parseGitConfig(`[a]\n${'b = c\n'.repeat(6_000)}`)).toThrow(ConfigUnreadable)
  })

  test('that is written says to git exactly what was meant', () => {
    const part = fc.string({ unit: fc.constantFrom(...'aZ9 "\\;#=.-[]ö\''), minLength: 1, maxLength: 12 })
    fc.assert(
      fc.property(part, part, (subsection, value) => {
        const text = renderGitConfig([{ name: `remote.${subsection}.url`, value }])
        expect(listedByGit(text)).toEqual([[`remote.${subsection}.url`, value]])
      }),
      { numRuns: 60 },
    )
    expect(() => renderGitConfig([{ name: 'user.name', value: 'a\n[core]' }])).toThrow(RangeError)
    expect(() => renderGitConfig([{ name: 'filter.a\nb.clean', value: '' }])).toThrow(RangeError)
  }, 60_000)

  test('is compared with a git that is there', () => {
    expect(execFileSync('git', ['--version'], { encoding: 'utf8' })).toMatch(/^git version 2\./)
  })
})
