import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { type Home, homeAt } from '../../src/platform/basics/home.ts'
import { PROGRAM } from '../harness/run-program.ts'

const START_LIMIT_MS = 60_000
/** Hubs are started often here: what one has compiled the next need not compile again. */
const COMPILED = mkdtempSync(join(tmpdir(), 'knowtation-compiled-'))
const running = new Set<ChildProcess>()
afterAll(async () => {
  // Only what a failed test left behind is still there.
  const left = [...running].map((child) => child.kill('SIGKILL') && once(child, 'close'))
  await Promise.all(left)
  rmSync(COMPILED, { recursive: true, force: true })
}, 120_000)

/** A hub that runs as its own process, as an owner would run it. */
export interface HubProcess {
  readonly url: string
  readonly child: ChildProcess
  readonly output: { stdout: string; stderr: string }
  /** Ends it with a signal and waits until it is gone. */
  end(signal: NodeJS.Signals): Promise<Exit>
}

export interface Exit {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface ProcessWish {
  home: string
  env?: Record<string, string>
}

/** Starts `knowtation serve` and waits for its ready line; a hub that stops instead is an error. */
export async function spawnHub({ home, env = {} }: ProcessWish): Promise<HubProcess> {
  const { child, output, exited } = startProgram(
    ['serve', '--log', 'json', '--port', '0', '--home', home],
    env,
  )
  const url = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(
      () => reject(new Error(`The hub is not ready: ${output.stderr}`)),
      START_LIMIT_MS,
    )
    child.stdout?.on('data', () => {
      const line = /^(\{.*\})\n/.exec(output.stdout)?.[1]
      if (line) resolve((JSON.parse(line) as { url: string }).url)
    })
    void exited.then(({ code, stderr }) => reject(new Error(`The hub ended with ${code}: ${stderr}`)))
    void exited.finally(() => clearTimeout(timer))
    child.stdout?.once('data', () => clearTimeout(timer))
  })
  return {
    url,
    child,
    output,
    end(signal) {
      child.kill(signal)
      return exited
    },
  }
}

/** Runs a command of the program to its end; one that does not come to an end is killed. */
export async function runProgram(args: string[], env: Record<string, string> = {}): Promise<Exit> {
  const { child, exited } = startProgram(args, env)
  const timer = setTimeout(() => child.kill('SIGKILL'), START_LIMIT_MS)
  return exited.finally(() => clearTimeout(timer))
}

/** Runs a command of the program to its end while this process stands still. */
export function runProgramMeanwhile(args: string[], env: Record<string, string> = {}): string {
  return execFileSync(process.execPath, [PROGRAM, ...args], { env: programEnv(env), encoding: 'utf8' })
}

/** Starts a command of the program and goes on. */
export function startProgram(args: string[], env: Record<string, string> = {}) {
  // Its own process group: whatever it starts can be found by it.
  const child = spawn(process.execPath, [PROGRAM, ...args], {
    env: programEnv(env),
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  running.add(child)
  child.once('close', () => running.delete(child))
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (output.stderr += text))
  const exited = once(child, 'close').then(
    ([code, signal]): Exit => ({ code: code as number | null, signal: signal as Exit['signal'], ...output }),
  )
  return { child, output, exited }
}

/** Nothing of the tests' own surroundings decides how the hub runs. */
function programEnv(wished: Record<string, string>): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(KNOWTATION|FLOW|VITEST|NODE_OPTIONS)/.test(name),
  )
  return { ...Object.fromEntries(inherited), NODE_COMPILE_CACHE: COMPILED, ...wished }
}

/** Processes that are still in the group of one that ended. */
export function processesOfGroup(group: number): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
        return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]) === group
      } catch {
        return false
      }
    })
}

/** A home of its own in a temporary folder, removed with it. */
export function temporaryHome(): { home: Home; folder: string } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-e2e-'))
  const home = homeAt(join(folder, 'home'), {})
  return { home, folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

/** The hub's own token of a home. */
export function hubTokenOf(home: Home): string {
  return readFileSync(home.hubToken, 'utf8').trim()
}
