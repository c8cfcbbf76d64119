/** A process of its own for tests of locks: does what its arguments say in the project at the given folder. */
import { closeSync, openSync, unlinkSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { editFile } from '../../src/domains/toolbox/files/edit-file.ts'
import { takeLock } from '../../src/domains/toolbox/loom/locks/file-lock.ts'
import { lockToolsOf } from '../../src/domains/toolbox/loom/locks/lock-tools.ts'
import { type FilesProject, openFilesProject } from './files-project.fixture.ts'

const LONG_AGO_S = 45

type Act = (project: FilesProject, ...args: string[]) => Promise<unknown>

const acts: Record<string, Act> = { edit, hold, contend }

/** Fills the slots from one number to another, all at once. */
async function edit(project: FilesProject, from = '0', to = '0') {
  const numbers = Array.from({ length: Number(to) - Number(from) }, (_, index) => Number(from) + index)
  const outcomes = await Promise.all(
    numbers.map((number) => {
      const edits = [{ operation: 'replace', spec: `slot ${number}: empty`, content: `slot ${number}: full` }]
      return project.call(editFile, { path: 'slots.txt', edits })
    }),
  )
  return outcomes.map(({ code, message }) => `${code}${message}`)
}

/** Takes the lock and waits to be killed. */
async function hold(project: FilesProject) {
  await takeLock(project.guard.holdFolder('main.ts'), toolsOf(project))
  process.stdout.write('held\n')
  await pause(60_000)
}

/** Takes the lock again and again; now and then it forgets to give it back. Counts whom it met while it held it. */
async function contend(project: FilesProject, rounds = '0') {
  const inside = join(project.base, 'inside')
  const lock_path = join(project.service_root, '.lock.main.ts')
  let [met, robbed] = [0, 0]
  for (let round = 0; round < Number(rounds); round += 1) {
    const folder = project.guard.holdFolder('main.ts')
    const lock = await takeLock(folder, toolsOf(project))
    try {
      closeSync(openSync(inside, 'wx'))
    } catch {
      met += 1
    }
    await pause(Math.random() * 2)
    if (!lock.isHeld()) robbed += 1
    unlinkSync(inside)
    const forgets = Math.random() < 0.4
    const long_ago = Date.now() / 1000 - LONG_AGO_S
    if (forgets) utimesSync(lock_path, long_ago, long_ago)
    else lock.release()
    folder.close()
  }
  return { met, robbed }
}

function toolsOf({ hub }: FilesProject) {
  return lockToolsOf({ hub, signal: new AbortController().signal })
}

const [act = '', base = '', ...args] = process.argv.slice(2)
const project = await openFilesProject(base)
process.stdout.write('ready\n')
// All begin at the same time: when they are told to.
process.stdin.once('data', async () => {
  const outcome = await acts[act]?.(project, ...args)
  process.stdout.write(`${JSON.stringify(outcome)}\n`)
  await project[Symbol.asyncDispose]()
  process.exit()
})
