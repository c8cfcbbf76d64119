import { closeSync, openSync, readdirSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { verifies } from '../../../test/requirements/verifies.ts'
import { makeProject, outcomeOf, type Project } from './guard-project.fixture.ts'
import { at, NAME_FOLDER } from './kernel/descriptors.ts'
import { makeFolders } from './make-folders.ts'

let project: Project
let folder_fd: number

beforeEach(() => {
  project = makeProject()
  folder_fd = openSync(project.in('.'), NAME_FOLDER)
})
afterEach(() => {
  closeSync(folder_fd)
  project.remove()
})

test('folders are made one below the other, and taken back as far as they are empty', () => {
  const before = project.snapshot()
  const made = makeFolders(folder_fd, ['a', 'b', 'c'], 'a/b/c/x')
  writeFileSync(at(made.fd, 'x'), 'x')
  expect(readdirSync(project.in('a/b/c'))).toEqual(['x'])
  made.close()
  const other = makeFolders(folder_fd, ['a', 'b', 'd'], 'a/b/d/x')
  other.undo()
  other.close()
  expect(readdirSync(project.in('a/b'))).toEqual(['c'])
  const all = makeFolders(folder_fd, ['e', 'f'], 'e/f/x')
  all.undo()
  all.close()
  expect(Object.keys(project.snapshot()).length - Object.keys(before).length).toBe(4)
})

verifies(['TOOL-075', 'TOOL-076'], 'no folder is made through a link that came to stand in the way', () => {
  const before = project.snapshot()
  const ways = [
    ['link-out-folder', 'in'],
    ['src', 'link-chain-3', 'in'],
    ['link-folder'],
    ['readme.md', 'in'],
  ]
  for (const names of ways) expect(outcomeOf(() => makeFolders(folder_fd, names, 'x'))).toBe('denied changed')
  expect(project.snapshot()).toEqual(before)
})
