import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { startChromaDouble } from './chroma-double.fixture.ts'

const START_ROUNDS = 300
const ROUND_MS = 100

/** A Chroma to test against: a real server where the package `chromadb` is to be found, else the double. */
export interface ChromaServer extends AsyncDisposable {
  readonly url: string
  readonly is_real: boolean
}

/** The program of the real server, also where `NODE_PATH` leads; undefined where it is not installed. */
export function findChroma(): string | undefined {
  try {
    return join(createRequire(import.meta.url).resolve('chromadb'), '../../cli.mjs')
  } catch {
    return undefined
  }
}

/** Starts one. A real one that is there and does not start is an error, never a reason for the double. */
export async function startChroma(): Promise<ChromaServer> {
  const program = findChroma()
  if (program !== undefined) return startReal(program)
  const double = await startChromaDouble()
  return { url: double.url, is_real: false, [Symbol.asyncDispose]: () => double[Symbol.asyncDispose]() }
}

async function startReal(program: string): Promise<ChromaServer> {
  const folder = mkdtempSync(join(tmpdir(), 'knowtation-chroma-'))
  const port = await findFreePort()
  const words = ['run', '--path', folder, '--host', '127.0.0.1', '--port', String(port)]
  const child = spawn(process.execPath, [program, ...words], { stdio: 'ignore', cwd: folder })
  const url = `http://127.0.0.1:${port}`
  const stop = async () => {
    const ended = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : undefined
    child.kill('SIGKILL')
    await ended
    rmSync(folder, { recursive: true, force: true })
  }
  try {
    await waitFor(`${url}/api/v2/heartbeat`, child)
  } catch (error) {
    await stop()
    throw error
  }
  return { url, is_real: true, [Symbol.asyncDispose]: stop }
}

async function waitFor(url: string, child: ChildProcess): Promise<void> {
  for (let round = 0; round < START_ROUNDS && child.exitCode === null; round++) {
    const answer = await fetch(url).catch(() => undefined)
    if (answer?.ok) return
    await pause(ROUND_MS)
  }
  throw new Error('The real Chroma server is installed and does not start.')
}

async function findFreePort(): Promise<number> {
  const probe = createServer()
  await new Promise<void>((listening) => probe.listen(0, '127.0.0.1', listening))
  const { port } = probe.address() as { port: number }
  await new Promise((closed) => probe.close(closed))
  return port
}
