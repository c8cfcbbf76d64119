import { linkSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { z } from 'zod'
import { readPlainFile, watchFile } from './watched-file.ts'

const Schema = z.strictObject({ open: z.boolean() })
const SAFE = { open: false }
const LIMIT_BYTES = 1_048_576

function folder(): string {
  const path = mkdtempSync(join(tmpdir(), 'knowtation-watched-'))
  onTestFinished(() => rmSync(path, { recursive: true, force: true }))
  return path
}

/** A file of sound settings that would open everything. */
function soundFile(at: string): string {
  const path = join(at, 'sound.yaml')
  writeFileSync(path, 'open: true\n')
  return path
}

test.each([
  ['a relative link in the same folder', (_sound: string) => 'sound.yaml'],
  ['an absolute link', (sound: string) => sound],
  [
    'a link to a link',
    (sound: string) => {
      const between = join(sound, '..', 'between')
      symlinkSync(sound, between)
      return between
    },
  ],
])('%s to a sound file is damage that names the path, and the safe default counts', (_what, target) => {
  const at = folder()
  const path = join(at, 'policy.yaml')
  symlinkSync(target(soundFile(at)), path)
  const state = watchFile(path, Schema, SAFE)()
  expect(state.value).toBe(SAFE)
  expect(state.damaged).toBe(`${path}: not a plain file`)
  expect(state.revision).toMatch(/^damaged-/)
})

test('a sound file that a link takes the place of counts no more from the next call', () => {
  const at = folder()
  const path = join(at, 'policy.yaml')
  writeFileSync(path, 'open: true\n')
  const read = watchFile(path, Schema, SAFE)
  expect(read()).toMatchObject({ value: { open: true }, damaged: undefined })
  rmSync(path)
  symlinkSync(soundFile(at), path)
  expect(read()).toMatchObject({ value: SAFE, damaged: expect.stringContaining(path) })
  rmSync(path)
  linkSync(join(at, 'sound.yaml'), path)
  // Another name of the same file is a plain file: whoever may make one in the home may write there, too.
  expect(read()).toMatchObject({ value: { open: true }, damaged: undefined })
})

test('a settled file is not read again, and one that changed by size or time alone is', () => {
  const path = soundFile(folder())
  let reads = 0
  const read = watchFile(path, Schema, SAFE, (text) => {
    reads++
    return { open: text.startsWith('open: true') }
  })
  utimesSync(path, new Date(1_000), new Date(1_000))
  const first = read()
  expect([first.value.open, reads]).toEqual([true, 1])
  writeFileSync(path, 'open: no  \n')
  utimesSync(path, new Date(1_000), new Date(1_000))
  expect([read().value.open, reads]).toEqual([false, 2])
})

test('a folder in place of the file is damage', () => {
  const path = join(folder(), 'policy.yaml')
  mkdirSync(path)
  expect(watchFile(path, Schema, SAFE)()).toMatchObject({
    value: SAFE,
    damaged: expect.stringContaining(path),
  })
})

test.each([
  [-1, true],
  [0, true],
  [1, false],
])('a file of the limit and %i bytes: %s', (more, isTaken) => {
  const path = join(folder(), 'policy.yaml')
  const text = 'open: true\n'
  writeFileSync(path, text + '#'.repeat(LIMIT_BYTES - text.length + more))
  const { damaged, value } = watchFile(path, Schema, SAFE)()
  expect([damaged === undefined, value.open]).toEqual([isTaken, isTaken])
  const read = () => readPlainFile(path, LIMIT_BYTES + more - 1)
  expect(read).toThrow(`larger than ${LIMIT_BYTES + more - 1} bytes`)
})
