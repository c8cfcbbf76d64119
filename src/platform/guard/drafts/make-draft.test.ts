import { chmodSync, lstatSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { verifies } from '../../../../test/requirements/verifies.ts'
import type { FoundFile, Guard } from '../guard.ts'
import { makeProject, outcomeOf, type Project } from '../guard-project.fixture.ts'
import { type KernelCalls, loadKernelCalls } from '../kernel/kernel-calls.ts'

const MODE = 0o640
const FILES = ['a.ts', 'b.ts', 'c.ts', 'd.ts']
const TIMES = 20

let project: Project
let guard: Guard
beforeEach(() => {
  project = makeProject()
  guard = project.open()
  for (const name of FILES) {
    writeFileSync(project.in(`src/${name}`), 'first')
    chmodSync(project.in(`src/${name}`), MODE)
  }
})
afterEach(() => {
  vi.restoreAllMocks()
  project.remove()
})

async function replace(name: string, text: string): Promise<void> {
  const folder = guard.holdFolder(`src/${name}`)
  const kept = folder.readWithRights(name, 1_000) as FoundFile
  const ready = await folder.prepare(Buffer.from(text), kept)
  try {
    ready.putAs(name)
  } finally {
    ready.close()
    folder.close()
  }
}

async function replaceAll(times: number): Promise<void> {
  for (let turn = 1; turn <= times; turn++)
    await Promise.all(FILES.map((name) => replace(name, `${name} ${turn}`)))
}

const namesInFolder = () =>
  readdirSync(project.in('src')).filter((name) => name !== 'deep' && !/link/.test(name))

function expectReplaced(times: number): void {
  for (const name of FILES) {
    expect(readFileSync(project.in(`src/${name}`), 'utf8')).toBe(`${name} ${times}`)
    const { mode, nlink } = lstatSync(project.in(`src/${name}`))
    expect([mode & 0o7777, nlink]).toEqual([MODE, 1])
  }
  expect(namesInFolder().toSorted()).toEqual([...FILES, 'main.ts'])
}

describe('files that are replaced one after the other', () => {
  verifies('TOOL-065', 'are replaced by files without a name, and nothing lies beside them', async () => {
    await replaceAll(TIMES)
    expectReplaced(TIMES)
  })

  test('are replaced as ever where those get no name there', async () => {
    vi.spyOn(loadKernelCalls() as KernelCalls, 'linkOpen').mockReturnValue(false)
    await replaceAll(TIMES)
    expectReplaced(TIMES)
  })

  verifies('TOOL-065', 'lie under no name before they are put in place', async () => {
    const folder = guard.holdFolder('src/a.ts')
    const kept = folder.readWithRights('a.ts', 1_000) as FoundFile
    const ready = await folder.prepare(Buffer.from('half done'), kept)
    expect(namesInFolder().toSorted()).toEqual([...FILES, 'main.ts'])
    ready.close()
    expect(readFileSync(project.in('src/a.ts'), 'utf8')).toBe('first')
    folder.close()
  })

  verifies(
    ['TOOL-069', 'TOOL-076'],
    'are not replaced in a folder that was moved out meanwhile',
    async () => {
      const folder = guard.holdFolder('src/a.ts')
      const kept = folder.readWithRights('a.ts', 1_000) as FoundFile
      const ready = await folder.prepare(Buffer.from('out'), kept)
      renameSync(project.in('src'), project.at('project/services/other/src'))
      expect(outcomeOf(() => ready.putAs('a.ts'))).toBe('denied changed')
      ready.close()
      folder.close()
      const moved = project.at('project/services/other/src')
      expect(readFileSync(`${moved}/a.ts`, 'utf8')).toBe('first')
      expect(readdirSync(moved).filter((name) => name.startsWith('.'))).toEqual([])
    },
  )
})
