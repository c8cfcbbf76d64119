import { cpSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { Guard } from './guard.ts'
import { makeProject, outcomeOf, outcomeOfAll, type Project } from './guard-project.fixture.ts'
import { openGuard } from './open-guard.ts'

let project: Project
let guard: Guard
let service: string

beforeEach(() => {
  project = makeProject()
  guard = project.open()
  service = project.in('').replace(/\/$/, '')
})
afterEach(() => project.remove())

describe('a service folder', () => {
  test('that was cloned anew is the one that is used from then on', () => {
    renameSync(service, project.at('old'))
    mkdirSync(`${service}/src`, { recursive: true })
    writeFileSync(`${service}/src/main.ts`, 'cloned')
    expect(guard.readFile('src/main.ts', 100).bytes.toString()).toBe('cloned')
    guard.writeFile('src/new.ts', Buffer.from('new'))
    expect(guard.list('.', { recursive: true, limit: 10 }).entries.map(({ path }) => path)).toEqual([
      'src',
      'src/main.ts',
      'src/new.ts',
    ])
    expect(outcomeOf(() => guard.readFile('readme.md', 100))).toBe('FileNotFound')
  })

  test('that is gone is refused until it is back', () => {
    renameSync(service, project.at('old'))
    expect(outcomeOfAll(guard, 'readme.md')).toBe('denied changed')
    renameSync(project.at('old'), service)
    expect(guard.readFile('readme.md', 100).bytes.toString()).toBe('readme')
  })

  test('that became a link is refused, even one to a copy of itself', () => {
    renameSync(service, project.at('old'))
    symlinkSync(project.at('old'), service)
    expect(outcomeOfAll(guard, 'readme.md')).toBe('denied changed')
    rmSync(service)
    symlinkSync(project.at('project/services/other'), service)
    expect(outcomeOfAll(guard, 'secret.txt')).toBe('denied changed')
  })

  test('is refused when a folder above it became a link', () => {
    cpSync(project.at('project/services'), project.at('elsewhere'), {
      recursive: true,
      verbatimSymlinks: true,
    })
    renameSync(project.at('project/services'), project.at('old'))
    symlinkSync(project.at('elsewhere'), project.at('project/services'))
    expect(outcomeOfAll(guard, 'readme.md')).toBe('denied changed')
  })

  test('may be named through links above it', () => {
    symlinkSync(project.at('project'), project.at('link'))
    const own = project.open({
      service_root: project.at('link/services/svc'),
      shared_roots: [project.at('link/shared')],
      project_root: project.at('link'),
    })
    expect(own.readFile('shared/util.ts', 100).bytes.toString()).toBe('shared')
    expect(own.readFile('../../shared/util.ts', 100).bytes.toString()).toBe('shared')
    expect(own.readFile(project.at('link/services/svc/readme.md'), 100).bytes.toString()).toBe('readme')
    expect(own.readFile(project.in('readme.md'), 100).bytes.toString()).toBe('readme')
  })
})

describe('a guard', () => {
  test('is not opened on a folder that is missing, a link, a file, relative, or the whole disk', () => {
    const open = (service_root: string) => () => project.open({ service_root })
    expect(outcomeOf(open(project.at('nothing')))).toBe('NotADirectory')
    expect(outcomeOf(open(project.in('readme.md')))).toBe('NotADirectory')
    expect(outcomeOf(open(project.in('link-folder')))).toBe('NotADirectory')
    expect(open('services/svc')).toThrow(/absolute/)
    expect(open('/')).toThrow(/whole file system/)
  })

  test('that is closed does nothing more', () => {
    guard.close()
    guard.close()
    expect(() => guard.readFile('readme.md', 100)).toThrow('the guard is closed')
  })

  test('says that it needs Linux where it is not', () => {
    const platform = vi.spyOn(process, 'platform', 'get').mockReturnValue('darwin')
    expect(() => openGuard(project.scope)).toThrow(/needs Linux/)
    platform.mockRestore()
  })
})
