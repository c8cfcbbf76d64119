import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const READY_LIMIT_MS = 60_000
const END_LIMIT_MS = 15_000

/** A server under measurement, in a process of its own so that its CPU time is its own. */
export interface Server {
  readonly pid: number
  readonly url: string
  end(): Promise<void>
}

/** Starts a program that prints one line `{"event":"ready","url":…}` and serves until it is told to end. */
export async function startServer(args: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Server> {
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  })
  const endWithUs = () => void child.kill('SIGKILL')
  process.once('exit', endWithUs)
  const end = async () => {
    process.off('exit', endWithUs)
    await endChild(child)
  }
  try {
    return { pid: child.pid ?? 0, url: await readyUrl(child), end }
  } catch (error) {
    await end()
    throw error
  }
}

async function readyUrl(child: ChildProcess): Promise<string> {
  if (!child.stdout) throw new Error('The program has no output to read.')
  const lines = createInterface({ input: child.stdout })
  const gaveUp = AbortSignal.timeout(READY_LIMIT_MS)
  const ended = once(child, 'exit', { signal: gaveUp }).then(() => {
    throw new Error('The program ended before it was ready.')
  })
  const ready = once(lines, 'line', { signal: gaveUp }).then(([line]) => JSON.parse(line as string).url)
  return (await Promise.race([ready, ended])) as string
}

async function endChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  const tooLate = setTimeout(() => child.kill('SIGKILL'), END_LIMIT_MS)
  await exited
  clearTimeout(tooLate)
}
