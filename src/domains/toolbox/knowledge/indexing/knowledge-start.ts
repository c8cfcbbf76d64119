import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { extname } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { INDEXER_ARGUMENT, type IndexerAnswer, type IndexerOrder } from './knowledge-order.ts'

/** Beside this file, in the sources as in the build. */
const PROGRAM = fileURLToPath(new URL(`./knowledge-indexer${extname(import.meta.url)}`, import.meta.url))
/**
 * An index is made within a fixed share of memory, however large the project is. Threads that look through it for what
 * is no longer used would take the cores from those that make the index, and make these wait. Only such flags are among
 * these as leave what comes compiled with Node of use: without it, each thread takes longer to start.
 */
export const NODE_FLAGS: readonly string[] = [
  '--max-old-space-size=192',
  '--max-semi-space-size=8',
  '--single-threaded-gc',
]

/**
 * Starts the indexer as a process that outlives this one: a command line answers and ends, and the index is built
 * all the same. The job goes through its input, for it holds what is secret and no other process may see.
 */
export async function startIndexer(order: IndexerOrder): Promise<ChildProcess> {
  const child = spawn(process.execPath, [...NODE_FLAGS, PROGRAM, INDEXER_ARGUMENT], {
    detached: true,
    cwd: '/',
    env: {},
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  child.on('error', () => {})
  child.unref()
  await give(child, order)
  return child
}

/** Runs the indexer and waits for what it says. */
export async function runIndexer(order: IndexerOrder, signal: AbortSignal): Promise<IndexerAnswer> {
  const child = spawn(process.execPath, [...NODE_FLAGS, PROGRAM, INDEXER_ARGUMENT], {
    cwd: '/',
    env: {},
    stdio: ['pipe', 'pipe', 'ignore'],
    signal,
  })
  const [said] = await Promise.all([text(child.stdout), once(child, 'close'), give(child, order)])
  return said === '' ? { kind: 'failed', reason: 'the indexer ended by itself' } : JSON.parse(said)
}

function give({ stdin }: ChildProcess, order: IndexerOrder): Promise<void> {
  return new Promise((resolve) => {
    // What cannot be written any more shows in how the process ends.
    stdin?.on('error', () => resolve()).on('close', () => resolve())
    stdin?.end(JSON.stringify(order))
  })
}
