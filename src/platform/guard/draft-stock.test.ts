import {
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readlinkSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { closeReplaced, takeDraft } from './draft-stock.ts'
import { chooseCalls } from './folder-calls.ts'

const ENOUGH = 32
const MODE = 0o640

let folder: string
let fds: number[] = []
beforeAll(() => chooseCalls('kernel'))
afterAll(() => chooseCalls('plain'))
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'drafts-'))
})
afterEach(() => {
  for (const fd of fds) closeSync(fd)
  fds = []
  rmSync(folder, { recursive: true })
  vi.restoreAllMocks()
})

function hold(path: string): number {
  const fd = openSync(path, constants.O_DIRECTORY | constants.O_RDONLY)
  fds.push(fd)
  return fd
}

function take(folder_fd: number, mode = MODE): number | undefined {
  const fd = takeDraft(folder_fd, mode)
  if (fd !== undefined) fds.push(fd)
  return fd
}

/** Asks as often as makes it worth it, and then until one is ready. */
async function takeReady(folder_fd: number, mode = MODE): Promise<number> {
  for (let times = 0; times < ENOUGH; times++) take(folder_fd, mode)
  return vi.waitFor(() => {
    const fd = take(folder_fd, mode)
    if (fd === undefined) throw new Error('none is ready')
    return fd
  }, 10_000)
}

const whereIs = (fd: number) => readlinkSync(`/proc/self/fd/${fd}`)
const heldBelow = (path: string) =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return whereIs(Number(fd)).startsWith(path)
    } catch {
      return false
    }
  })

describe('files that were replaced', () => {
  /** More than the thread is given at once. */
  const MANY = 200
  const replaced = () =>
    Array.from({ length: MANY }, (_, at) =>
      openSync(join(folder, `file-${at}`), constants.O_CREAT | constants.O_RDWR),
    )
  test.each([
    ['the pool, where there is no thread', false],
    ['the thread', true],
  ])('are all closed, by %s, and nothing else is', async (_, is_at_work) => {
    const folder_fd = hold(folder)
    if (is_at_work) await takeReady(folder_fd)
    const kept = openSync(join(folder, 'kept'), constants.O_CREAT | constants.O_RDWR)
    fds.push(kept)
    for (const fd of replaced()) closeReplaced(fd)
    await vi.waitFor(() => expect(heldBelow(join(folder, 'file-'))).toEqual([]), 5_000)
    expect(whereIs(kept)).toBe(join(folder, 'kept'))
  })
})

describe('drafts that are made ahead', () => {
  test('are new files of the folder, with no name and the rights asked for', async () => {
    const draft = await takeReady(hold(folder))
    const { nlink, size, mode, dev } = fstatSync(draft)
    expect({ nlink, size, mode }).toEqual({ nlink: 0, size: 0, mode: constants.S_IFREG | MODE })
    expect(dev).toBe(statSync(folder).dev)
    expect(whereIs(draft)).toMatch(new RegExp(`^${folder}/#\\d+ \\(deleted\\)$`))
    expect(readdirSync(folder)).toEqual([])
  })

  test('are each given once', async () => {
    const folder_fd = hold(folder)
    const given = [await takeReady(folder_fd)]
    for (let at = 0; at < 50; at++) {
      const fd = take(folder_fd)
      if (fd !== undefined) given.push(fd)
      await new Promise((later) => setImmediate(later))
    }
    const files = given.map((fd) => fstatSync(fd).ino)
    expect(new Set(files).size).toBe(files.length)
  })

  test('are for that folder and those rights alone, whatever is asked for in between', async () => {
    const folders = ['a', 'b', 'c'].map((name) => join(folder, name))
    for (const path of folders) mkdirSync(path)
    const held = folders.map(hold)
    const ask = fc.record({
      at: fc.nat(2),
      mode: fc.constantFrom(0o600, 0o644),
      times: fc.constantFrom(1, ENOUGH),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(ask, { minLength: 1, maxLength: 8 }), async (asks) => {
        for (const { at, mode, times } of asks) {
          for (let time = 0; time < times; time++) check(take(held[at] as number, mode), at, mode)
          await new Promise((later) => setTimeout(later, 2))
          check(take(held[at] as number, mode), at, mode)
        }
      }),
      { numRuns: 60 },
    )
    function check(fd: number | undefined, at: number, mode: number) {
      if (fd === undefined) return
      expect(whereIs(fd).startsWith(`${folders[at]}/`)).toBe(true)
      expect(fstatSync(fd).mode & 0o777).toBe(mode)
    }
  })

  test('are not made where files are replaced only now and then', async () => {
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => (now += 101))
    const folder_fd = hold(folder)
    for (let times = 0; times < 3 * ENOUGH; times++) expect(take(folder_fd)).toBeUndefined()
    vi.restoreAllMocks()
    expect(heldBelow(folder)).toEqual([String(folder_fd)])
  })

  test('are not made where a disk has no nameless files, and are again elsewhere', async () => {
    const odd = hold('/proc')
    for (let times = 0; times < 5 * ENOUGH; times++) {
      expect(take(odd)).toBeUndefined()
      await new Promise((later) => setImmediate(later))
    }
    expect(fstatSync(await takeReady(hold(folder))).isFile()).toBe(true)
  })

  test('are let go of when nobody takes them any more, and the folder with them', async () => {
    const folder_fd = hold(folder)
    const draft = await takeReady(folder_fd)
    expect(heldBelow(folder).length).toBeGreaterThan(2)
    await vi.waitFor(() => expect(heldBelow(folder).toSorted()).toEqual(fds.map(String).toSorted()), 5_000)
    expect(fds).toContain(draft)
  })

  test('need the calls of the kernel', () => {
    chooseCalls('plain')
    const folder_fd = hold(folder)
    for (let times = 0; times < 2 * ENOUGH; times++) expect(take(folder_fd)).toBeUndefined()
    chooseCalls('kernel')
  })
})
