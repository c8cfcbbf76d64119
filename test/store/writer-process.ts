import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

const PROGRAM = fileURLToPath(new URL('./crash-writer.ts', import.meta.url))

export interface WriterProcess {
  readonly child: ChildProcess
  /** The ids it has acknowledged so far. */
  acknowledged(): string[]
  /** Resolves with its exit code and what it said on its way out. */
  readonly ended: Promise<{ code: number | null; errors: string }>
}

/** Starts a process that writes acts with their audit records into a home and acknowledges each. */
export function startWriter(folder: string, name: string, limit: number, env = process.env): WriterProcess {
  const child = spawn(process.execPath, [PROGRAM, folder, name, String(limit)], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...env, NODE_NO_WARNINGS: '1' },
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  let output = ''
  let errors = ''
  child.stdout.on('data', (chunk) => (output += String(chunk)))
  child.stderr.on('data', (chunk) => (errors += String(chunk)))
  return {
    child,
    // The last piece may be half a line.
    acknowledged: () => output.split('\n').slice(0, -1),
    ended: once(child, 'close').then(([code]) => ({ code: code as number | null, errors })),
  }
}
