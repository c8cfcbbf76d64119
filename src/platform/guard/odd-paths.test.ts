import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements/verifies.ts'
import { LITERAL, NO_PATHS, TOO_LONG } from './attack-paths.fixture.ts'
import type { Guard } from './guard.ts'
import {
  allOf,
  FILE_USES,
  makeProject,
  outcomeOf,
  outcomeOfAll,
  outcomesOf,
  type Project,
} from './guard-project.fixture.ts'

let project: Project
let guard: Guard

beforeAll(() => {
  project = makeProject()
  guard = project.open()
})
afterAll(() => project.remove())

function expectAll(paths: readonly string[], outcome: string, uses?: string[]): void {
  const before = project.snapshot()
  expect(outcomesOf(guard, paths, uses)).toEqual(allOf(paths, outcome))
  expect(project.snapshot()).toEqual(before)
}

function countDescriptors(): number {
  return readdirSync('/proc/self/fd').length
}

verifies('TOOL-072', 'empty paths, NUL, control characters and broken text are no paths', () => {
  expectAll(NO_PATHS, 'ValidationError')
  const others = [
    undefined,
    null,
    5,
    {},
    ['readme.md'],
    Buffer.from('readme.md'),
    new URL('file:///etc/passwd'),
  ]
  for (const path of others) expect(outcomeOfAll(guard, path as string)).toBe('ValidationError')
})

verifies('TOOL-072', 'nothing is decoded, trimmed, unquoted, expanded or matched', () => {
  expectAll(LITERAL, 'FileNotFound', ['read', 'delete', 'list', 'walk', 'check read'])
})

test('a command is told where a path leads, and nothing of one that only seems to lead somewhere', () => {
  const located = ['link-in', './src//main.ts', 'src', '.', 'new/folder/x.ts', 'link-new', 'link-folder/n.ts']
  expect(located.map((path) => guard.locate(path))).toEqual([
    { path: 'src/main.ts', exists: true },
    { path: 'src/main.ts', exists: true },
    { path: 'src', exists: true },
    { path: '.', exists: true },
    { path: 'new/folder/x.ts', exists: false },
    { path: 'src/new.ts', exists: false },
    { path: 'src/n.ts', exists: false },
  ])
  expectAll(['nothing/../link-out', 'nothing/../readme.md', 'nothing/.'], 'FileNotFound', ['locate'])
  expectAll(['shared/util.ts', 'link-shared'], 'denied read_only', ['locate'])
})

test('composed and decomposed letters are different names, as on the disk', () => {
  writeFileSync(project.in('caf\u00e9.md'), 'composed')
  expect(guard.readFile('caf\u00e9.md', 100).bytes.toString()).toBe('composed')
  expect(outcomeOf(() => guard.readFile('cafe\u0301.md', 100))).toBe('FileNotFound')
})

test('paths beyond what the kernel takes, or deeper than the guard goes, are too long', () => {
  expectAll(TOO_LONG, 'PathTooLong')
  const deep = Array.from({ length: 127 }, () => 'd').join('/')
  mkdirSync(project.in(`${deep}/d/d`), { recursive: true })
  writeFileSync(project.in(`${deep}/f`), 'deep')
  expect(guard.readFile(`${deep}/f`, 100).bytes.toString()).toBe('deep')
  expectAll([`${deep}/d/d/f`, `${deep}/d/d`], 'PathTooLong')
  rmSync(project.in('d'), { recursive: true })
})

test('a path that ends like a folder is none of a file', () => {
  expectAll(['readme.md/', 'readme.md/.', 'link-in/'], 'NotADirectory')
  expectAll(['src', 'src/', 'src/.', '.', './', 'link-folder/'], 'IsADirectory', [
    'read',
    'write',
    'delete',
    'hold',
  ])
  expectAll(['new/', 'new/.', 'new/../x'], 'FileNotFound', ['read', 'write', 'delete', 'hold', 'check write'])
})

test('a FIFO, a socket and a device are refused without being opened', async () => {
  expectAll(['fifo'], 'denied special_file', FILE_USES)
  expectAll(['fifo'], 'NotADirectory', ['list'])
  const server = createServer().listen(project.in('socket'))
  await new Promise((resolve) => server.once('listening', resolve))
  expectAll(['socket'], 'denied special_file', FILE_USES)
  await new Promise((resolve) => server.close(resolve))
  if (process.getuid?.() !== 0)
    return console.warn('device nodes are made by root only: FIFO and socket stand for them')
  execFileSync('mknod', [project.in('zero'), 'c', '1', '5'])
  expect(outcomeOfAll(guard, 'zero', FILE_USES)).toBe('denied special_file')
  rmSync(project.in('zero'))
})

verifies(['TOOL-077', 'TOOL-045'], 'a file with a second name is refused, and stays', () => {
  expectAll(['hard-link'], 'denied hard_link', FILE_USES)
})

test('no refusal and no fault leaves a descriptor open', async () => {
  const paths = [
    'src/deep/er/x.ts',
    'src/deep/nothing/x',
    'src/deep/../../../x',
    'link-out',
    'src/.env',
    'hard-link',
    'fifo',
  ]
  const tryAll = (): void =>
    void outcomesOf(guard, [...paths, 'link-loop-a', 'readme.md/x', 'shared/util.ts'])
  tryAll()
  const before = countDescriptors()
  for (let round = 0; round < 20; round += 1) tryAll()
  // Some of the first round were still being closed.
  await expect.poll(countDescriptors).toBeLessThanOrEqual(before)
})

test('a file that was replaced is let go of', async () => {
  const before = countDescriptors()
  for (let round = 0; round < 20; round += 1) guard.writeFile('src/main.ts', Buffer.from('other'))
  await expect.poll(countDescriptors).toBeLessThanOrEqual(before)
})
