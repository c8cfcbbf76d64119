import { mkdirSync, readdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { beginTurn } from '../basics/turn.ts'
import { chooseCalls } from './folder-calls.ts'
import type { Guard } from './guard.ts'
import { makeProject, outcomeOf, type Project } from './guard-project.fixture.ts'
import { type KernelCalls, loadKernelCalls } from './kernel-calls.ts'

let project: Project
let guard: Guard
let service: string

beforeAll(() => chooseCalls('kernel'))
beforeEach(() => {
  project = makeProject()
  guard = project.open()
  service = project.in('').replace(/\/$/, '')
})
afterEach(() => {
  vi.restoreAllMocks()
  project.remove()
})

const read = (path = 'src/main.ts') => guard.readFile(path, 100).bytes.toString()

/** Puts another folder under the service's name. */
function cloneAnew(): void {
  renameSync(service, project.at('old'))
  mkdirSync(`${service}/src`, { recursive: true })
  writeFileSync(`${service}/src/main.ts`, 'cloned')
}

test('every call looks at the service’s name itself where no requests are read', () => {
  const look = vi.spyOn(loadKernelCalls() as KernelCalls, 'findPath')
  for (let calls = 0; calls < 3; calls += 1) read()
  expect(look).toHaveBeenCalledTimes(3)
})

test('calls of requests that were read together share a look at it, and later ones do not', async () => {
  await nextTurn()
  beginTurn()
  const look = vi.spyOn(loadKernelCalls() as KernelCalls, 'findPath')
  for (let calls = 0; calls < 3; calls += 1) read()
  guard.check('src/main.ts', 'write')
  expect(look).toHaveBeenCalledTimes(1)
  await nextTurn()
  read()
  expect(look).toHaveBeenCalledTimes(2)
})

test('a service that was cloned anew since the shared look is the one that is read', async () => {
  await nextTurn()
  beginTurn()
  expect(read()).toBe('main')
  cloneAnew()
  expect(read()).toBe('cloned')
})

test('nothing is changed in a service that was moved away since the shared look', async () => {
  await nextTurn()
  beginTurn()
  expect(read()).toBe('main')
  cloneAnew()
  const changes = [
    () => guard.writeFile('src/main.ts', Buffer.from('new')),
    () => guard.deleteFile('src/main.ts'),
    () => guard.holdFolder('src/main.ts').replace('main.ts', Buffer.from('new'), 0o600),
  ]
  expect(changes.map(outcomeOf)).toEqual(changes.map(() => 'denied changed'))
  expect(readFileSync(project.at('old/src/main.ts'), 'utf8')).toBe('main')
  await nextTurn()
  guard.writeFile('src/main.ts', Buffer.from('new'))
  expect(readFileSync(`${service}/src/main.ts`, 'utf8')).toBe('new')
})

/** Puts another folder in the place of one that was opened for the requests of this turn. */
function swapFolder(): void {
  renameSync(project.in('src'), project.at('project/services/other/src'))
  mkdirSync(project.in('src'))
  writeFileSync(project.in('src/main.ts'), 'swapped')
}

test('they share a folder that they all read in, and later ones open it anew', async () => {
  await nextTurn()
  beginTurn()
  const open = vi.spyOn(loadKernelCalls() as KernelCalls, 'openBeneath')
  const folders = () => open.mock.calls.filter(([, path]) => path === 'src').length
  for (let calls = 0; calls < 3; calls += 1) read()
  expect(folders()).toBe(1)
  await nextTurn()
  const before = readdirSync('/proc/self/fd').length
  read()
  expect(folders()).toBe(2)
  await nextTurn()
  await nextTurn()
  expect(readdirSync('/proc/self/fd').length).toBeLessThanOrEqual(before)
})

test('a folder that was swapped since is looked at anew, and nothing is changed in the old one', async () => {
  await nextTurn()
  beginTurn()
  expect(read()).toBe('main')
  swapFolder()
  const changes = [
    () => guard.writeFile('src/main.ts', Buffer.from('new')),
    () => guard.deleteFile('src/main.ts'),
    () => guard.holdFolder('src/main.ts').replace('main.ts', Buffer.from('new'), 0o600),
  ]
  expect(changes.map(outcomeOf)).toEqual(changes.map(() => 'denied changed'))
  expect(read()).toBe('swapped')
  expect(readFileSync(project.at('project/services/other/src/main.ts'), 'utf8')).toBe('main')
})

test('nor does a link in the place of such a folder lead out', async () => {
  await nextTurn()
  beginTurn()
  expect(read()).toBe('main')
  renameSync(project.in('src'), project.at('project/services/other/src'))
  symlinkSync('../other/src', project.in('src'))
  expect(outcomeOf(() => read())).toBe('denied outside')
})
