import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

let folder: string
let service: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'search starting % #'))
  service = join(folder, 'service')
  mkdirSync(service)
  writeFileSync(join(service, 'a.txt'), 'hello')
})
afterAll(() => rmSync(folder, { recursive: true }))

const PROGRAM = join(import.meta.dirname, 'search-starting.fixture.ts')
/** Enough for a program to start, and few enough to be used up at once. */
const FILES = 120

function answersOf(what: string): string[] {
  const script = `ulimit -n ${FILES}; exec "$0" "$@"`
  const words = ['-c', script, process.execPath, PROGRAM, what, service]
  return JSON.parse(execFileSync('sh', words, { encoding: 'utf8', cwd: folder })) as string[]
}

test('a search is made where the folder that the hub was started in is gone', () => {
  expect(answersOf('lost folder')).toEqual(['1', '1'])
})

test('a search that gets no thread says why, and the next one is made when it can be', () => {
  const [search, find, ...later] = answersOf('no descriptors')
  // Without a descriptor the loader does not even find its packages, so the code is not always the system's.
  for (const answer of [search, find])
    expect(answer).toMatch(/^IOError: .*(?:could not be started: |too many open files)/)
  expect(later).toEqual(['1', '1'])
})
