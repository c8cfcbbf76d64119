import { chmodSync, chownSync, lstatSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { gitCheckout } from '../../src/domains/toolbox/git/git-checkout.ts'
import { type GitProject, makeShop } from '../../src/domains/toolbox/git/git-project.fixture.ts'
import { ACCESS, accessList, attributesOf, DEFAULT, setAttribute } from './file-attributes.fixture.ts'

/** The owner's group may nothing and one user may write: the bits of the file show the mask, which is more. */
const LIST = accessList(['user_obj', 6], ['user', 6, 12_345], ['group_obj', 0], ['mask', 6], ['other', 0])

/** The same of a program. */
const RUNNABLE = accessList(['user_obj', 7], ['user', 6, 12_345], ['group_obj', 0], ['mask', 7], ['other', 0])

function makeBranches(): GitProject {
  const project = makeShop()
  project.git('switch', '--quiet', '--create', 'topic')
  project.put('a.txt', 'topic\n')
  project.put('b.txt', 'topic\n')
  project.commitAll()
  project.git('switch', '--quiet', 'main')
  return project
}

function lookAt(path: string) {
  const { mode, uid, gid } = lstatSync(path)
  return { mode: (mode & 0o7777).toString(8), uid, gid, attributes: attributesOf(path) }
}

test('a switch of branches keeps the access control list and attributes of a file that it replaces', async () => {
  await using project = makeBranches()
  const path = join(project.service_root, 'a.txt')
  setAttribute(path, ACCESS, LIST)
  setAttribute(path, 'user.note', Buffer.from('kept'))
  const before = lookAt(path)
  expect(before.mode).toBe('660')
  for (const [branch, text] of [
    ['topic', 'topic\n'],
    ['main', 'a\n'],
  ] as const) {
    expect(await project.codeOf(gitCheckout, { branch })).toBe('success')
    expect(project.read('a.txt')).toBe(text)
    expect(lookAt(path)).toEqual(before)
  }
})

test('a switch of branches gives a file that it replaces no rights from the list of its folder', async () => {
  await using project = makeBranches()
  const path = join(project.service_root, 'a.txt')
  const before = lookAt(path)
  setAttribute(project.service_root, DEFAULT, LIST)
  expect(await project.codeOf(gitCheckout, { branch: 'topic' })).toBe('success')
  expect(lookAt(path)).toEqual(before)
})

test('a switch of branches makes a file a program for whoever may read it, and for nobody else', async () => {
  await using project = makeBranches()
  project.git('switch', '--quiet', '--create', 'programs')
  for (const name of ['a.txt', 'b.txt', 'new.sh']) {
    project.put(name, '#!/bin/sh\n')
    chmodSync(join(project.service_root, name), 0o755)
  }
  project.commitAll()
  project.git('switch', '--quiet', 'main')
  const at = (name: string) => join(project.service_root, name)
  setAttribute(at('a.txt'), ACCESS, LIST)
  chmodSync(at('b.txt'), 0o600)
  setAttribute(project.service_root, DEFAULT, LIST)
  expect(await project.codeOf(gitCheckout, { branch: 'programs' })).toBe('success')
  expect(lookAt(at('b.txt'))).toMatchObject({ mode: '700', attributes: {} })
  // What plain programs get in this folder, and what makes it run for those who may read it.
  expect(lookAt(at('new.sh')).mode).toBe('770')
  expect(lookAt(at('a.txt')).mode).toBe('770')
  for (const name of ['a.txt', 'new.sh'])
    expect(lookAt(at(name)).attributes[ACCESS]).toBe(RUNNABLE.toString('hex'))
  expect(await project.codeOf(gitCheckout, { branch: 'main' })).toBe('success')
  expect(lookAt(at('a.txt')).mode).toBe('660')
  expect(lookAt(at('b.txt')).mode).toBe('600')
})

test('a switch of branches leaves a file to its owner', async () => {
  await using project = makeBranches()
  if (process.getuid?.() !== 0) return
  const path = join(project.service_root, 'a.txt')
  chownSync(path, 12_345, 23_456)
  const before = lookAt(path)
  expect(await project.codeOf(gitCheckout, { branch: 'topic' })).toBe('success')
  expect(lookAt(path)).toEqual(before)
})
