import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { exchangeFiles } from './exchange-files.ts'
import { readPolicyFile } from './policy-file.ts'
import { putInPlace, replacedPath } from './put-in-place.ts'

function policyAt(text: string | undefined): string {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-policy-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const path = join(folder, 'policy.yaml')
  if (text !== undefined) writeFileSync(path, text, { mode: 0o640 })
  return path
}

const read = (path: string) => readFileSync(path, 'utf8')
const none = () => 'impossible' as const
const save = (path: string, text: string) => {
  writeFileSync(`${path}.editor`, text)
  renameSync(`${path}.editor`, path)
}

test('a text takes the place of the one it was made from, with its rights; nothing else is left but that one', async () => {
  const path = policyAt('one')
  expect(await putInPlace(path, readPolicyFile(path), 'two')).toEqual({ done: true, displaced: [] })
  expect([read(path), read(replacedPath(path))]).toEqual(['two', 'one'])
  expect(readPolicyFile(path).stats?.mode.toString(8)).toBe('100640')
  expect(readdirSync(join(path, '..')).toSorted()).toEqual(['policy.yaml', 'policy.yaml.replaced'])
})

test('where nothing was, a private file is made, and none that came meanwhile is written over', async () => {
  const path = policyAt(undefined)
  const nothing = readPolicyFile(path)
  expect((await putInPlace(path, nothing, 'first')).done).toBe(true)
  expect(readPolicyFile(path).stats?.mode.toString(8)).toBe('100600')
  expect((await putInPlace(path, nothing, 'second')).done).toBe(false)
  expect(read(path)).toBe('first')
})

test('a file that is another one by now stays', async () => {
  const path = policyAt('one')
  const base = readPolicyFile(path)
  save(path, 'by hand')
  expect((await putInPlace(path, base, 'two')).done).toBe(false)
  rmSync(path)
  expect((await putInPlace(path, base, 'two')).done).toBe(false)
  symlinkSync('/etc/passwd', path)
  await expect(putInPlace(path, base, 'two')).rejects.toThrow('not a plain file')
})

/** Exchanges as the system does, with a hand that does something before each time. */
function meddled(...hands: ((path: string) => void)[]) {
  return (draft: string, path: string) => {
    hands.shift()?.(path)
    return exchangeFiles(draft, path)
  }
}

test('who saves between the look and the exchange has the last word, however often', async () => {
  const one = policyAt('one')
  const meddle = meddled((path) => save(path, 'by hand'))
  expect(await putInPlace(one, readPolicyFile(one), 'two', meddle)).toEqual({ done: false, displaced: [] })
  expect(read(one)).toBe('by hand')

  const twice = policyAt('one')
  const again = meddled(
    (path) => save(path, 'by hand'),
    (path) => save(path, 'by hand again'),
  )
  const placed = await putInPlace(twice, readPolicyFile(twice), 'two', again)
  expect([placed, read(twice)]).toEqual([{ done: false, displaced: ['by hand'] }, 'by hand again'])

  const gone = policyAt('one')
  const removed = meddled(
    (path) => save(path, 'by hand'),
    (path) => rmSync(path),
  )
  expect(await putInPlace(gone, readPolicyFile(gone), 'two', removed)).toEqual({
    done: false,
    displaced: ['by hand'],
  })

  const link = policyAt('one')
  const linked = meddled((path) => {
    rmSync(path)
    symlinkSync('elsewhere', path)
  })
  expect((await putInPlace(link, readPolicyFile(link), 'two', linked)).done).toBe(false)
  expect(() => readPolicyFile(link)).toThrow('not a plain file')
})

test('where files cannot be exchanged the outcome is the same', async () => {
  const path = policyAt('one')
  expect(await putInPlace(path, readPolicyFile(path), 'two', none)).toEqual({ done: true, displaced: [] })
  expect(read(path)).toBe('two')
  const other = policyAt('one')
  const base = readPolicyFile(other)
  const meddle = () => {
    save(other, 'by hand')
    return 'impossible' as const
  }
  expect(await putInPlace(other, base, 'two', meddle)).toEqual({ done: false, displaced: [] })
  expect([read(other), readdirSync(join(other, '..')).includes('policy.yaml.next')]).toEqual([
    'by hand',
    false,
  ])
})
