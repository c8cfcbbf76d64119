import {
  closeSync,
  fstatSync,
  linkSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements/verifies.ts'
import { isStillItself, type SeenFile } from './barrier.ts'
import { CANARY, makeProject, type Project } from './guard-project.fixture.ts'
import { NAME_ANY, NAME_FOLDER } from './kernel/descriptors.ts'
import { readLeaf } from './read-held-file.ts'

let project: Project
let secret: string
let fds: number[]

beforeEach(() => {
  project = makeProject()
  secret = project.at('project/services/svc-evil/x')
  fds = []
})
afterEach(() => {
  for (const fd of fds) closeSync(fd)
  project.remove()
})

function hold(path: string, flags: number): number {
  const fd = openSync(path, flags)
  fds.push(fd)
  return fd
}

/** A file of the service as a call would have seen it first. */
function see(name: string): SeenFile & { given: string } {
  const fd = hold(project.in(`src/${name}`), NAME_ANY)
  const root_path = project.in('').replace(/\/$/, '')
  const folder = {
    folder_fd: hold(project.in('src'), NAME_FOLDER),
    folder_path: `${root_path}/src`,
    root_path,
  }
  const { ctimeNs } = fstatSync(fd, { bigint: true })
  return { ...folder, given: name, name, fd, changed_at: ctimeNs, may_have_names: false }
}

describe('a file that was seen', () => {
  test('is itself as long as nothing happens to its names', () => {
    const seen = see('main.ts')
    expect(isStillItself(seen)).toBe(true)
    expect(isStillItself({ ...seen, changed_at: fstatSync(seen.fd).ctimeMs })).toBe(true)
  })

  verifies('TOOL-077', 'is no longer itself once it has, had, or was a second name', () => {
    const changes: ((name: string) => void)[] = [
      (name) => linkSync(name, `${name}.second`),
      (name) => (linkSync(name, `${name}.second`), unlinkSync(`${name}.second`)),
      (name) => (linkSync(name, `${name}.second`), unlinkSync(name), renameSync(`${name}.second`, name)),
      (name) => unlinkSync(name),
      (name) => (renameSync(name, `${name}.away`), writeFileSync(name, 'main')),
    ]
    for (const [n, change] of changes.entries()) {
      writeFileSync(project.in(`src/f${n}`), 'main')
      const seen = see(`f${n}`)
      const in_milliseconds = { ...seen, changed_at: fstatSync(seen.fd).ctimeMs }
      change(project.in(`src/f${n}`))
      expect([isStillItself(seen), isStillItself(in_milliseconds)], String(change)).toEqual([false, false])
    }
  })

  verifies(
    'TOOL-077',
    'gives nothing where its name in the service was taken away to leave a count of one',
    () => {
      linkSync(secret, project.in('src/main.txt'))
      const seen = see('main.txt')
      rmSync(project.in('src/main.txt'))
      writeFileSync(project.in('src/main.txt'), 'main')
      const stat = fstatSync(seen.fd, { bigint: true })
      expect([stat.nlink, stat.size]).toEqual([1n, BigInt(CANARY.length)])
      expect(readLeaf({ fd: seen.fd, stat }, seen, 1_000)).toBeUndefined()
    },
  )

  verifies('TOOL-076', 'is no longer itself once its folder was moved', () => {
    const seen = see('main.ts')
    renameSync(project.in('src'), project.at('project/services/other/src'))
    expect(isStillItself(seen)).toBe(false)
  })
})
