import { chmodSync, lstatSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { verifies } from '../../../test/requirements/verifies.ts'
import { chooseCalls, kernelCalls } from './folder-calls.ts'
import type { Guard, KeptFile } from './guard.ts'
import { makeProject, outcomeOf, type Project } from './guard-project.fixture.ts'
import type { KernelCalls } from './kernel-calls.ts'

const MODE = 0o640
const FILES = ['a.ts', 'b.ts', 'c.ts', 'd.ts']
const MANY = 40
const TOO_MANY = 20_000

let project: Project
let guard: Guard
beforeAll(() => chooseCalls('kernel'))
afterAll(() => chooseCalls('plain'))
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
  const kept = folder.keep(name, 1_000) as KeptFile
  const ready = await folder.prepare(Buffer.from(text), kept)
  try {
    ready.putAs(name, kept)
  } finally {
    ready.close()
    kept.close()
    folder.close()
  }
}

/** Goes on until so many files that were made ahead have been tried; answers how often each was replaced. */
async function replaceMany(linked: { mock: { calls: unknown[] } }): Promise<number> {
  for (let turn = 1; ; turn++) {
    await Promise.all(FILES.map((name) => replace(name, `${name} ${turn}`)))
    if (linked.mock.calls.length >= MANY) return turn
    if (turn === TOO_MANY) throw new Error('none was made ahead')
  }
}

const linking = () => vi.spyOn(kernelCalls() as KernelCalls, 'linkOpen')
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
  verifies('TOOL-065', 'are replaced by files made ahead, and nothing lies beside them', async () => {
    const linked = linking()
    expectReplaced(await replaceMany(linked))
    expect(linked.mock.results.every(({ value }) => value === true)).toBe(true)
  })

  test('are replaced as ever where those get no name there', async () => {
    expectReplaced(await replaceMany(linking().mockReturnValue(false)))
  })

  verifies(
    ['TOOL-069', 'TOOL-076'],
    'are not replaced in a folder that was moved out meanwhile',
    async () => {
      const linked = linking()
      const times = await replaceMany(linked)
      await new Promise((refilled) => setTimeout(refilled, 50))
      linked.mockClear()
      const folder = guard.holdFolder('src/a.ts')
      const kept = folder.keep('a.ts', 1_000) as KeptFile
      const ready = await folder.prepare(Buffer.from('out'), kept)
      expect(linked).toHaveBeenCalled()
      renameSync(project.in('src'), project.at('project/services/other/src'))
      expect(outcomeOf(() => ready.putAs('a.ts', kept))).toBe('denied changed')
      ready.close()
      kept.close()
      folder.close()
      const moved = project.at('project/services/other/src')
      expect(readFileSync(`${moved}/a.ts`, 'utf8')).toBe(`a.ts ${times}`)
      expect(readdirSync(moved).filter((name) => name.startsWith('.'))).toEqual([])
    },
  )
})
