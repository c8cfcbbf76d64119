import { lstatSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, onTestFinished, test } from 'vitest'
import { runGit, writeAt } from '../git-project.fixture.ts'
import type { Repository } from '../repository/repository.ts'
import { type IndexEntry, parseIndex, readIndex } from './index-entries.ts'

const FILES = [
  'a',
  'a.txt',
  'b/c/d e.txt',
  'b/c/d',
  'ümlaut/日本.md',
  `long/${'x'.repeat(200)}/y`,
  'tab\there',
  'z',
]

function makeRepository(format = 'sha1') {
  const folder = mkdtempSync(join(tmpdir(), 'index-entries-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const git = (...args: string[]) => runGit(folder, args)
  git('init', '--quiet', `--object-format=${format}`)
  for (const path of FILES) writeAt(join(folder, path), path)
  writeAt(join(folder, 'run.sh'), '#!', 0o755)
  symlinkSync('a', join(folder, 'link'))
  git('add', '--all')
  const settings = { format: [{ name: 'extensions.objectformat', value: format }] }
  const read = (prefix = '') =>
    readIndex({ git_dir: join(folder, '.git'), prefix, settings } as unknown as Repository)
  return { folder, git, read, index: join(folder, '.git/index') }
}

/** What git says of its index, without flags. */
function listed(git: (...args: string[]) => string): unknown[] {
  const text = git('ls-files', '--stage', '--debug', '-z')
  const form =
    /(\d+) (\w+) (\d)\t([^\0]+)\0\s+ctime: (\d+):(\d+)\s+mtime: (\d+):(\d+)\s+dev: \d+\s+ino: (\d+)\s+uid: (\d+)\s+gid: (\d+)\s+size: (\d+)\s+flags: \w+\n/g
  return [...text.matchAll(form)].map(([, mode, id, stage, path, ...numbers]) => {
    const [ctime_s, ctime_ns, mtime_s, mtime_ns, ino, uid, gid, size] = numbers.map(Number)
    return {
      path,
      mode,
      id,
      stage: Number(stage),
      stat: { ctime_s, ctime_ns, mtime_s, mtime_ns, ino, uid, gid, size },
    }
  })
}

const withoutFlags = ({ path, mode, id, stage, stat }: IndexEntry) => ({ path, mode, id, stage, stat })

describe('the index of git', () => {
  test.each([
    ['version 2', 'sha1', []],
    ['version 3, for a flag that it lacks', 'sha1', [['add', '--intent-to-add', 'later']]],
    ['version 4', 'sha1', [['update-index', '--index-version', '4']]],
    [
      'version 4 with flags',
      'sha1',
      [
        ['update-index', '--index-version', '4'],
        ['add', '--intent-to-add', 'later'],
      ],
    ],
    ['long ids', 'sha256', []],
    ['an untracked cache beside it', 'sha1', [['update-index', '--force-untracked-cache'], ['status']]],
  ])('is read as git lists it: %s', (_, format, steps) => {
    const { folder, git, read, index } = makeRepository(format)
    writeFileSync(join(folder, 'later'), 'x')
    for (const step of steps) git(...step)
    const { entries, written } = read()
    expect(entries.map(withoutFlags)).toEqual(listed(git))
    expect(entries.length).toBeGreaterThan(FILES.length)
    expect(written.mtime_s).toBe(Math.floor(lstatSync(index).mtimeMs / 1000))
    expect(entries.filter(({ is_intended }) => is_intended).map(({ path }) => path)).toEqual(
      steps.flat().includes('later') ? ['later'] : [],
    )
    expect(read('b/c/').entries.map(({ path }) => path)).toEqual(['d', 'd e.txt'])
  })

  test('has no entries where there is none, and tells what the owner wants to be passed over', () => {
    const { git, read, index } = makeRepository()
    git('update-index', '--assume-unchanged', 'a')
    git('update-index', '--skip-worktree', 'z')
    expect(read().entries.flatMap(({ path, is_skipped }) => (is_skipped ? [path] : []))).toEqual(['a', 'z'])
    rmSync(index)
    expect(read().entries).toEqual([])
  })

  test('is refused where it is split, or no plain file', () => {
    const { git, read, index } = makeRepository()
    git('update-index', '--split-index')
    expect(read).toThrow('its index is split')
    git('update-index', '--no-split-index')
    expect(read().entries).toHaveLength(FILES.length + 2)
    rmSync(index)
    symlinkSync('config', index)
    expect(read).toThrow()
  })

  test('that was cut is refused, and one that was changed leads to nothing unforeseen', () => {
    const { index } = makeRepository()
    const bytes = readFileSync(index)
    const all = fc.nat(bytes.length - 1)
    fc.assert(
      fc.property(all, fc.integer({ min: 1, max: 255 }), (place, change) => {
        expect(() => parseIndex(bytes.subarray(0, place), 20, '')).toThrow(/index/)
        const other = Buffer.from(bytes)
        other[place] = (other[place] ?? 0) ^ change
        try {
          parseIndex(other, 20, '')
        } catch (error) {
          expect((error as Error).message).toMatch(/index/)
        }
      }),
    )
  })
})
