import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { compileNameRules } from '../../guard/blocked-names.ts'
import { isIgnored, readIgnoreRules } from './index-ignore.ts'
import { findIgnoreStart } from './index-ignore-files.ts'
import { walkPath, walkProject } from './index-walk.ts'

const PATHS = [
  'a',
  'b.log',
  'ab',
  'build/out.js',
  'build/keep/x.ts',
  'src/a',
  'src/a.log',
  'src/b/a.ts',
  'src/b/c/a.log',
  'src/build/x',
  'docs/[x].md',
  'docs/b c.md',
  'deep/a/b/c/d.txt',
]
const LINES = [
  '*.log',
  '!src/a.log',
  'build/',
  '/build',
  'build/*',
  '!build/keep',
  'a',
  '/a',
  'src/**',
  '**/c',
  'src/**/a.ts',
  'deep/**/d.txt',
  'docs/\\[x\\].md',
  'docs/[[]x].md',
  'docs/*\\ c.md',
  '[ab]*',
  '[!a-c]*',
  '?b',
  '# comment',
  '!',
  '/',
  'b.log   ',
  '*',
  '!*/',
  '!*.ts',
  '**',
  'a/**/b',
  '[a',
  'x\\',
  '[[:alpha:]]b',
]

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'knowtation-ignore-'))
  for (const path of PATHS) write(path, 'x\n')
  git('init', '--quiet')
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function write(path: string, text: string): void {
  mkdirSync(dirname(join(folder, path)), { recursive: true })
  writeFileSync(join(folder, path), text)
}

function git(...args: string[]): string {
  const env = { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_SYSTEM: '/dev/null' }
  return execFileSync('git', ['-C', folder, ...args], { encoding: 'utf8', env })
}

function walkRules() {
  return {
    project_root: folder,
    names: compileNameRules([]),
    closed: new Set<string>(),
    ignore: findIgnoreStart(folder),
    mayHaveNames: () => false,
  }
}

describe('what git ignores', () => {
  test('is what git says, for any rules in two folders', () => {
    const lines = fc.array(fc.constantFrom(...LINES), { maxLength: 6 })
    fc.assert(
      fc.property(lines, lines, (top, inner) => {
        write('.gitignore', `${top.join('\n')}\n`)
        write('src/.gitignore', inner.join('\r\n'))
        const told = git('ls-files', '--others', '--exclude-standard', '-z').split('\0').filter(Boolean)
        const met = walkProject(walkRules()).files.map(({ path }) => path)
        expect(met.toSorted()).toEqual(told.toSorted())
        for (const path of PATHS)
          expect(walkPath(walkRules(), path).files.length, path).toBe(met.includes(path) ? 1 : 0)
      }),
      { numRuns: 60 },
    )
  }, 120_000)

  test('takes no longer for a pattern that is made to be slow', () => {
    const slow = readIgnoreRules('', `${'*a'.repeat(200)}b\n${'**/a/'.repeat(100)}b\n`, undefined)
    const path = `${'a/'.repeat(100)}${'a'.repeat(250)}`
    for (let round = 0; round < 200; round += 1) expect(isIgnored(slow, path, false)).toBe(false)
  })
})
