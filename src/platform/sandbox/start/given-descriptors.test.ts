import {
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { SandboxUnavailable } from '../sandbox.ts'
import { openGivenDescriptors } from './given-descriptors.ts'

test('what is to be mounted is held by its real path, and by no link that was put there since', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'given-descriptors-')))
  const given = openGivenDescriptors(10)
  try {
    const [real, moved] = [join(base, 'real'), join(base, 'moved')]
    mkdirSync(real)
    writeFileSync(join(real, 'file'), 'x')
    symlinkSync('real', join(base, 'link'))
    const number = given.addReal(real)
    given.addReal(join(real, 'file'))
    for (const path of ['link', 'link/file'])
      expect(() => given.addReal(join(base, path))).toThrow(SandboxUnavailable)
    // It is the folder that is held, wherever its name leads by then.
    renameSync(real, moved)
    symlinkSync('/', real)
    expect(readlinkSync(`/proc/self/fd/${given.heldAs(number)}`)).toBe(moved)
  } finally {
    given.close()
    rmSync(base, { recursive: true, force: true })
  }
})
