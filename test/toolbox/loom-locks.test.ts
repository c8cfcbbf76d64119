import { utimesSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { deleteFile } from '../../src/domains/toolbox/files/delete-file.ts'
import { editFile } from '../../src/domains/toolbox/files/edit-file.ts'
import { writeFile } from '../../src/domains/toolbox/files/write-file.ts'
import { breakAbandoned, STALE_AFTER_MS } from '../../src/domains/toolbox/loom/locks/break-lock.ts'
import { takeLock, withLock } from '../../src/domains/toolbox/loom/locks/file-lock.ts'
import { gateNameOf } from '../../src/domains/toolbox/loom/locks/lock-name.ts'
import { makeLockRecord, renderLockRecord } from '../../src/domains/toolbox/loom/locks/lock-record.ts'
import type { LockTools } from '../../src/domains/toolbox/loom/locks/lock-tools.ts'
import { ToolFault } from '../../src/domains/toolbox/tool-fault.ts'
import { realSystem } from '../../src/platform/basics/system.ts'
import type { HeldFolder } from '../../src/platform/guard/guard.ts'
import type { Patterns } from '../../src/platform/patterns/patterns.ts'
import { verifies } from '../requirements/verifies.ts'
import { type FilesProject, makeFilesProject } from './files-project.fixture.ts'
import { replace } from './files-scenario.fixture.ts'

const LOCK = '.lock.main.ts'

/** Tools whose waiting takes no time, and what they were used for. */
interface QuickTools extends LockTools {
  readonly pauses: number[]
  readonly warnings: object[]
}

function quickTools(onPause: () => void = () => {}): QuickTools {
  const [pauses, warnings]: [number[], object[]] = [[], []]
  return {
    ...realSystem,
    pauses,
    warnings,
    log: { warn: (fields) => void warnings.push(fields) },
    signal: new AbortController().signal,
    elapsed_ms: () => pauses.reduce((sum, ms) => sum + ms, 0),
    async sleep(ms) {
      pauses.push(ms)
      onPause()
    },
  }
}

async function makeProject(): Promise<FilesProject & { folder: HeldFolder }> {
  const project = await makeFilesProject()
  project.put('main.ts', 'one\n')
  return { ...project, folder: project.guard.holdFolder('main.ts') }
}

function setAge(project: FilesProject, name: string, age_seconds: number): void {
  const time = Date.now() / 1000 - age_seconds
  utimesSync(join(project.service_root, name), time, time)
}

/** The code that taking the lock ends with. */
async function codeOfTaking(folder: HeldFolder, tools: LockTools): Promise<string> {
  try {
    const lock = await takeLock(folder, tools)
    lock.release()
    return 'success'
  } catch (error) {
    if (error instanceof ToolFault) return error.code
    throw error
  }
}

/** A folder in which something happens right before a lock is taken out of the way. */
function beforeRename(folder: HeldFolder, happen: () => void): HeldFolder {
  return {
    ...folder,
    rename(from, to) {
      happen()
      return folder.rename(from, to)
    },
  }
}

/** The pattern engine, with something that happens while an edit waits for it. */
function whileMatching(patterns: Patterns, happen: () => void): Patterns {
  return {
    ...patterns,
    async findAll(pattern, text) {
      happen()
      return patterns.findAll(pattern, text)
    },
  }
}

const edits = [replace('one', 'two')]
const by_regex = [replace('one', 'two', { match_mode: 'regex' })]

describe('the lock of a file', () => {
  verifies('TOOL-059', 'lies beside the file while it is edited', async () => {
    await using project = await makeProject()
    let seen = false
    const patterns = whileMatching(project.patterns, () => {
      seen = project.exists(LOCK)
    })
    const { code } = await project.call(editFile, { path: 'main.ts', edits: by_regex }, { patterns })
    expect([seen, code]).toEqual([true, 'success'])
    expect(project.names()).toEqual(['main.ts'])
  })

  verifies(['TOOL-060', 'TOOL-062'], 'is waited for while it is fresh, then the call fails', async () => {
    await using project = await makeProject()
    project.put(LOCK, 'of somebody else')
    setAge(project, LOCK, 2)
    const calls = await Promise.all([
      project.call(editFile, { path: 'main.ts', edits }),
      project.call(writeFile, { path: 'main.ts', content: 'x' }),
      project.call(deleteFile, { path: 'main.ts' }),
    ])
    expect(calls.map(({ code }) => code)).toEqual(['ResourceBusy', 'ResourceBusy', 'ResourceBusy'])
    expect(project.text('main.ts')).toBe('one\n')
    expect(project.text(LOCK)).toBe('of somebody else')
  })

  verifies('TOOL-060', 'is waited for 5 s in all, in uneven pauses', async () => {
    await using project = await makeProject()
    project.put(LOCK, 'of somebody else')
    const tools = quickTools()
    expect(await codeOfTaking(project.folder, tools)).toBe('ResourceBusy')
    expect(tools.elapsed_ms()).toBeCloseTo(5_000, 6)
    expect(new Set(tools.pauses).size).toBeGreaterThan(10)
    expect(Math.max(...tools.pauses)).toBeLessThan(100)
    const patient = quickTools(() => project.exists(LOCK) && project.folder.unlink(LOCK))
    expect(await codeOfTaking(project.folder, patient)).toBe('success')
    expect(patient.pauses.length).toBe(1)
  })

  verifies('TOOL-061', 'is given back after success and after every kind of failure', async () => {
    await using project = await makeProject()
    project.put('binary', Buffer.from([0]))
    const regex = { match_mode: 'regex' }
    const calls = [
      project.call(editFile, { path: 'main.ts', edits }),
      project.call(editFile, { path: 'main.ts', edits: [replace('nothing', 'x')] }),
      project.call(editFile, { path: 'main.ts', edits: [replace('(?=', 'x', regex)] }),
      project.call(editFile, { path: 'missing.ts', edits }),
      project.call(editFile, { path: 'binary', edits }),
      project.call(writeFile, { path: 'new.ts', content: '' }),
      project.call(deleteFile, { path: 'missing.ts' }),
    ]
    const codes = (await Promise.all(calls)).map(({ code }) => code)
    expect(new Set(codes)).toEqual(
      new Set(['success', 'PatchError', 'ValidationError', 'FileNotFound', 'BinaryFile']),
    )
    expect(project.names()).toEqual(['binary', 'main.ts', 'new.ts'])
  })

  verifies('TOOL-062', 'is removed with a warning when it is older than 30 s', async () => {
    await using project = await makeProject()
    for (const [content, age_seconds] of [
      ['of somebody else', 45],
      ['', 31],
      [renderLockRecord(makeLockRecord('another', new Date())), 45],
      ['x'.repeat(100_000), 3_600],
      ['made by a wrong clock', -3_600],
    ] as const) {
      project.put('main.ts', 'one\n')
      project.put(LOCK, content)
      setAge(project, LOCK, age_seconds)
      project.logged.length = 0
      expect((await project.call(editFile, { path: 'main.ts', edits })).code).toBe('success')
      expect(project.logged.join()).toMatch(
        /"level":40.*"reason":"too old".*abandoned lock of a file removed/,
      )
      expect(project.names()).toEqual(['main.ts'])
    }
  })

  test('of a process that is gone is removed at once, any other is not', async () => {
    await using project = await makeProject()
    const own = makeLockRecord('another', new Date())
    const holder = own.holder as NonNullable<typeof own.holder>
    const holders = {
      'this process': [holder, 'ResourceBusy'],
      'one that had the same number': [{ ...holder, started: '1' }, 'success'],
      'a number without a process': [{ ...holder, pid: 2 ** 22 + 1 }, 'success'],
      'another machine': [{ ...holder, started: '1', machine: 'elsewhere' }, 'ResourceBusy'],
      unknown: [null, 'ResourceBusy'],
      nonsense: [{ ...holder, pid: -1 }, 'ResourceBusy'],
    } as const
    for (const [name, [who, code]] of Object.entries(holders)) {
      project.put(LOCK, JSON.stringify({ ...own, holder: who }))
      const tools = quickTools()
      expect([name, await codeOfTaking(project.folder, tools)]).toEqual([name, code])
      expect([name, tools.pauses.length > 0]).toEqual([name, code !== 'success'])
    }
  })

  test('is kept fresh by a slow holder, who cannot be robbed so', async () => {
    await using project = await makeProject()
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    await withLock(project.folder, quickTools(), async (lock) => {
      setAge(project, LOCK, 45)
      vi.advanceTimersByTime(STALE_AFTER_MS / 2)
      expect(await codeOfTaking(project.folder, quickTools())).toBe('ResourceBusy')
      expect(lock.isHeld()).toBe(true)
    })
    expect(project.exists(LOCK)).toBe(false)
  })

  test('that was lost is neither renewed nor given back', async () => {
    await using project = await makeProject()
    const lost = await takeLock(project.folder, quickTools())
    setAge(project, LOCK, 45)
    const taken = await takeLock(project.folder, quickTools())
    expect([lost.isHeld(), taken.isHeld()]).toEqual([false, true])
    lost.renew()
    lost.release()
    expect(taken.isHeld()).toBe(true)
    taken.release()
    expect(project.exists(LOCK)).toBe(false)
  })

  test('is not waited for by a call that nobody waits for', async () => {
    await using project = await makeProject()
    project.put(LOCK, 'of somebody else')
    const tools = { ...quickTools(), signal: AbortSignal.abort() }
    expect(await codeOfTaking(project.folder, tools)).toBe('ResourceBusy')
    expect(tools.pauses).toEqual([])
  })
})

describe('removing an abandoned lock', () => {
  test('puts a lock back that was not meant', async () => {
    await using project = await makeProject()
    project.put(LOCK, 'old')
    setAge(project, LOCK, 45)
    const folder = beforeRename(project.folder, () => {
      project.folder.unlink(LOCK)
      project.folder.createNew(LOCK, Buffer.from('new'), 0o600)
    })
    const tools = quickTools()
    expect(breakAbandoned(folder, LOCK, tools)).toBe(false)
    expect(project.text(LOCK)).toBe('new')
    expect(project.names()).toEqual([LOCK, 'main.ts'])
    expect(tools.warnings).toEqual([])
  })

  test('finds nothing to do when the lock was given back meanwhile', async () => {
    await using project = await makeProject()
    project.put(LOCK, 'old')
    setAge(project, LOCK, 45)
    const folder = beforeRename(project.folder, () => void project.folder.unlink(LOCK))
    expect(breakAbandoned(folder, LOCK, quickTools())).toBe(false)
    expect(project.names()).toEqual(['main.ts'])
  })

  test('is done by one at a time, and not hindered for ever by one that was killed at it', async () => {
    await using project = await makeProject()
    const gate = gateNameOf(LOCK)
    project.put(LOCK, 'old')
    setAge(project, LOCK, 45)
    project.put(gate, 'of another')
    expect(breakAbandoned(project.folder, LOCK, quickTools())).toBe(false)
    expect(project.text(LOCK)).toBe('old')
    setAge(project, gate, 45)
    expect(await codeOfTaking(project.folder, quickTools())).toBe('success')
    expect(project.names()).toEqual(['main.ts'])
  })
})

describe('an edit', () => {
  test('does not write over what somebody else wrote meanwhile', async () => {
    await using project = await makeProject()
    const happenings = {
      written: () => project.put('main.ts', 'one and more\n'),
      replaced: () => {
        project.folder.replace('main.ts', Buffer.from('won\n'), 0o644)
      },
      deleted: () => void project.folder.unlink('main.ts'),
      robbed: () => {
        setAge(project, LOCK, 45)
        breakAbandoned(project.folder, LOCK, quickTools())
      },
    }
    for (const [name, happen] of Object.entries(happenings)) {
      project.put('main.ts', 'one\n')
      const patterns = whileMatching(project.patterns, happen)
      const { code } = await project.call(editFile, { path: 'main.ts', edits: by_regex }, { patterns })
      expect([name, code]).toEqual([name, 'ResourceBusy'])
      if (project.exists('main.ts')) expect(project.text('main.ts')).not.toContain('two')
      expect([name, project.exists('main.ts')]).toEqual([name, name !== 'deleted'])
      expect(project.exists(LOCK)).toBe(false)
    }
  })
})
