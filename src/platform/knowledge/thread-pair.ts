import { on, once } from 'node:events'
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { IndexJob } from './index-job.ts'
import type { PackedDigest } from './index-packed.ts'

const PAIRS_MAX = 2
/** A thread that is given more takes more, without need. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 8 }
/** Beside this file, in the sources as in the build. */
const [READER, FINISHER] = ['index-reader', 'index-finisher'].map(
  (name) => new URL(`./${name}${extname(import.meta.url)}`, import.meta.url),
) as [URL, URL]

/** What a thread is given. */
export interface IndexThread {
  readonly job: IndexJob
  /** Between the two of a pair. */
  readonly port: MessagePort
}

/** Two threads with different work: each has only its own part of the program to be made fast. */
export interface ThreadPair {
  readonly workers: readonly [reader: Worker, finisher: Worker]
  readonly answers: AsyncIterator<[PackedDigest[]]>
  /** Never settles unless a thread ends or fails. */
  readonly failed: Promise<never>
  /** Batches that were given to it and are not answered. */
  running: number
}

/** Starts as many pairs as the machine has room for; whoever does so ends them. */
export function startPairs(job: IndexJob): ThreadPair[] {
  const count = Math.min(Math.max(1, Math.floor(availableParallelism() / 2)), PAIRS_MAX)
  return Array.from({ length: count }, () => startPair(job))
}

export async function endPairs(pairs: readonly ThreadPair[]): Promise<void> {
  await Promise.all(pairs.flatMap(({ workers }) => workers.map((worker) => worker.terminate())))
}

function startPair(job: IndexJob): ThreadPair {
  const { port1, port2 } = new MessageChannel()
  const start = (program: URL, port: MessagePort) =>
    new Worker(program, {
      workerData: { job, port } satisfies IndexThread,
      transferList: [port],
      resourceLimits: THREAD_LIMITS,
    })
  const [reader, finisher] = [start(READER, port1), start(FINISHER, port2)]
  const failed = once(reader, 'exit').then(() => Promise.reject(new Error('a thread has ended')))
  failed.catch(() => {})
  const answers = on(finisher, 'message') as AsyncIterator<[PackedDigest[]]>
  return { workers: [reader, finisher], answers, failed, running: 0 }
}
