import { execFileSync } from 'node:child_process'
import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { editFile } from '../../src/domains/toolbox/files/edit-file.ts'
import { writeFile } from '../../src/domains/toolbox/files/write-file.ts'
import { ACCESS, accessList, attributesOf, DEFAULT, setAttribute } from './file-attributes.fixture.ts'
import { type FilesProject, makeFilesProject } from './files-project.fixture.ts'

afterEach(() => vi.restoreAllMocks())

const OTHER_USER = 12_345
const OTHER_GROUP = 23_456
/** The owner's group may nothing, one user may write: the bits of the file show the mask, which is more. */
const LIST = accessList(['user_obj', 6], ['user', 6, OTHER_USER], ['group_obj', 0], ['mask', 6], ['other', 0])
/** What root may note and anybody may lose. */
const FILE_CAPABILITY = Buffer.from('0100000200040000000000000000000000000000', 'hex')

/** The two ways of changing a file that is there. */
const WAYS = {
  edit_file: (project: FilesProject) =>
    project.call(editFile, { path: 'a.txt', edits: [{ operation: 'replace', spec: 'old', content: 'new' }] }),
  'edit_file by a pattern': (project: FilesProject) =>
    project.call(editFile, {
      path: 'a.txt',
      edits: [{ operation: 'replace', spec: 'ol+d', content: 'new', match_mode: 'regex' }],
    }),
  write_file: (project: FilesProject) => project.call(writeFile, { path: 'a.txt', content: 'new\n' }),
} as const

function lookAt(path: string) {
  const { mode, uid, gid } = lstatSync(path)
  return { mode: (mode & 0o7777).toString(8), uid, gid, attributes: attributesOf(path) }
}

describe.each(Object.entries(WAYS))('%s keeps', (_, change) => {
  test('the access control list, so that the group gets no rights that it had not', async () => {
    await using project = await makeFilesProject()
    const path = join(project.service_root, 'a.txt')
    project.put('a.txt', 'old\n', 0o600)
    setAttribute(path, ACCESS, LIST)
    const before = lookAt(path)
    expect(before.mode).toBe('660')
    expect((await change(project)).code).toBe('success')
    expect(project.text('a.txt')).toBe('new\n')
    expect(lookAt(path)).toEqual(before)
  })

  test('attributes of the user’s, with their odd names and values', async () => {
    await using project = await makeFilesProject()
    const path = join(project.service_root, 'a.txt')
    project.put('a.txt', 'old\n')
    setAttribute(path, 'user.mime_type', Buffer.from('text/plain'))
    setAttribute(path, 'user.empty', Buffer.alloc(0))
    setAttribute(path, 'user.ü ${x}', Buffer.from([0, 255, 10]))
    const before = lookAt(path)
    expect(Object.keys(before.attributes)).toHaveLength(3)
    expect((await change(project)).code).toBe('success')
    expect(lookAt(path)).toEqual(before)
  })

  test('owner and group, and takes what gives a program rights', async () => {
    await using project = await makeFilesProject()
    const path = join(project.service_root, 'a.txt')
    project.put('a.txt', 'old\n', 0o640)
    if (process.getuid?.() !== 0) return
    chownSync(path, OTHER_USER, OTHER_GROUP)
    setAttribute(path, ACCESS, LIST)
    setAttribute(path, 'security.capability', FILE_CAPABILITY)
    const before = lookAt(path)
    expect((await change(project)).code).toBe('success')
    const { 'security.capability': taken, ...kept } = before.attributes
    expect(taken).toBeDefined()
    expect(lookAt(path)).toEqual({ ...before, attributes: kept })
  })

  test('a file without a list of its own from the list of its folder', async () => {
    await using project = await makeFilesProject()
    const path = join(project.service_root, 'a.txt')
    project.put('a.txt', 'old\n', 0o640)
    setAttribute(project.service_root, DEFAULT, LIST)
    const before = lookAt(path)
    expect(before).toMatchObject({ mode: '640', attributes: {} })
    expect((await change(project)).code).toBe('success')
    expect(lookAt(path)).toEqual(before)
  })

  test('the file as it is where something about it cannot be kept', async () => {
    await using project = await makeFilesProject()
    const path = join(project.service_root, 'a.txt')
    project.put('a.txt', 'old\n')
    try {
      execFileSync('chattr', ['+i', path], { stdio: 'pipe' })
    } catch {
      // Not every disk and not every user can.
      return
    }
    try {
      const { code, message } = await change(project)
      expect([code, project.text('a.txt')]).toEqual(['NotSupported', 'old\n'])
      expect(message).toContain('marked as unchangeable')
      expect(project.names()).toEqual(['a.txt'])
    } finally {
      execFileSync('chattr', ['-i', path])
    }
  })
})

describe('a new file', () => {
  test('gets the list of its folder as any program makes it, and so do new folders', async () => {
    await using project = await makeFilesProject()
    const { service_root } = project
    setAttribute(service_root, DEFAULT, LIST)
    writeFileSync(join(service_root, 'plain.txt'), 'x')
    mkdirSync(join(service_root, 'plain'))
    expect((await project.call(writeFile, { path: 'ours.txt', content: 'x' })).code).toBe('success')
    expect((await project.call(writeFile, { path: 'ours/x.txt', content: 'x' })).code).toBe('success')
    expect(attributesOf(join(service_root, 'ours.txt'))).toEqual(
      attributesOf(join(service_root, 'plain.txt')),
    )
    expect(lookAt(join(service_root, 'ours.txt'))).toEqual(lookAt(join(service_root, 'plain.txt')))
    expect(lookAt(join(service_root, 'ours'))).toEqual(lookAt(join(service_root, 'plain')))
    expect(Object.keys(attributesOf(join(service_root, 'ours.txt')))).toEqual([ACCESS])
  })

  test('is made as the umask says, and never for everybody to write', async () => {
    await using project = await makeFilesProject()
    const before = process.umask()
    try {
      for (const [mask, mode] of [
        [0o022, '644'],
        [0o002, '664'],
        [0o077, '600'],
        [0, '664'],
      ] as const) {
        process.umask(mask)
        const path = `${mode}-${mask}.txt`
        await project.call(writeFile, { path, content: 'x' })
        expect(lookAt(join(project.service_root, path)).mode).toBe(mode)
      }
    } finally {
      process.umask(before)
    }
  })
})

test('a file whose group cannot be kept gives the other group no more than everybody has', async () => {
  await using project = await makeFilesProject()
  const path = join(project.service_root, 'a.txt')
  project.put('a.txt', 'old\n')
  chmodSync(path, 0o664)
  if (process.getuid?.() !== 0) return
  chownSync(path, OTHER_USER, OTHER_GROUP)
  const fixture = join(import.meta.dirname, 'file-attributes-user.fixture.ts')
  const folder = project.service_root
  chmodSync(folder, 0o777)
  chmodSync(project.base, 0o755)
  const answer = execFileSync(process.execPath, [fixture, folder], { encoding: 'utf8' })
  expect(answer).toBe('done')
  expect(lookAt(path)).toMatchObject({ mode: '644', uid: 65_534, gid: 65_534 })
  setAttribute(path, ACCESS, LIST)
  chownSync(path, 65_534, OTHER_GROUP)
  setAttribute(
    path,
    ACCESS,
    accessList(['user_obj', 6], ['user', 6, OTHER_USER], ['group_obj', 0], ['mask', 6], ['other', 4]),
  )
  expect(execFileSync(process.execPath, [fixture, folder], { encoding: 'utf8' })).toBe('NotSupported')
  expect(readdirSync(folder)).toEqual(['a.txt'])
})
