import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, onTestFinished, test } from 'vitest'
import { editFile } from '../../src/domains/toolbox/files/edit-file.ts'
import { childEnv } from '../harness/run-program.ts'
import { verifies } from '../requirements/verifies.ts'
import { type FilesProject, makeFilesProject } from './files-project.fixture.ts'
import { replace } from './files-scenario.fixture.ts'

const WORKER = fileURLToPath(new URL('./loom-worker.fixture.ts', import.meta.url))

interface Worker {
  readonly child: ChildProcess
  readonly lines: Interface
}

async function startWorker({ base }: FilesProject, act: string, ...rest: string[]): Promise<Worker> {
  const child = spawn(process.execPath, [WORKER, act, base, ...rest], {
    env: childEnv({}),
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const lines = createInterface(child.stdout)
  await once(lines, 'line')
  return { child, lines }
}

function slots(state: string): string {
  return Array.from({ length: 50 }, (_, number) => `slot ${number}: ${state}\n`).join('')
}

/** Lets workers begin together; answers with what each says. */
async function runAll(workers: readonly Worker[]): Promise<unknown[]> {
  const answers = workers.map(async ({ lines }) => JSON.parse((await once(lines, 'line'))[0] as string))
  for (const { child } of workers) child.stdin?.write('go\n')
  return Promise.all(answers)
}

describe('processes that edit the same file', () => {
  verifies(
    ['TOOL-059', 'TOOL-061'],
    'all get their edits in, 50 of them at once',
    async () => {
      await using project = await makeFilesProject()
      project.put('slots.txt', slots('empty'))
      const starts = [0, 10, 20, 30, 40].map((from) =>
        startWorker(project, 'edit', `${from}`, `${from + 10}`),
      )
      const outcomes = (await runAll(await Promise.all(starts))).flat()
      expect(outcomes).toEqual(Array.from({ length: 50 }, () => 'success'))
      expect(project.text('slots.txt')).toBe(slots('full'))
      expect(project.names()).toEqual(['slots.txt'])
    },
    120_000,
  )

  test('never hold its lock together, even when holders die all the time', async () => {
    await using project = await makeFilesProject()
    project.put('main.ts', '')
    const starts = [1, 2, 3, 4].map(() => startWorker(project, 'contend', '60'))
    const outcomes = await runAll(await Promise.all(starts))
    expect(outcomes).toEqual(Array.from({ length: 4 }, () => ({ met: 0, robbed: 0 })))
    expect(project.names().filter((name) => name.startsWith('.lock..lock.'))).toEqual([])
  }, 120_000)

  test('leave a lock behind when they are killed, which the next one removes at once', async () => {
    await using project = await makeFilesProject()
    project.put('main.ts', 'one\n')
    const holder = await startWorker(project, 'hold')
    holder.child.stdin?.write('go\n')
    await once(holder.lines, 'line')
    expect(project.names()).toEqual(['.lock.main.ts', 'main.ts'])
    holder.child.kill('SIGKILL')
    await once(holder.child, 'exit')
    const { code } = await project.call(editFile, { path: 'main.ts', edits: [replace('one', 'two')] })
    expect([code, project.text('main.ts')]).toEqual(['success', 'two\n'])
    expect(project.logged.join()).toContain('"reason":"holder gone"')
    expect(project.names()).toEqual(['main.ts'])
  }, 60_000)
})
