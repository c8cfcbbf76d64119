import { on } from 'node:events'
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { IndexJob } from './index-job.ts'
import type { FileBatch } from './index-plan.ts'
import { openBatchReader, type ReadFile } from './index-read.ts'

/** Fewer files are read sooner than a thread has started. */
export const THREADS_FROM_FILES = 64
const THREADS_MAX = 2
/** Batches that wait at a thread, so that it goes on while the main one writes. */
const AHEAD = 8
/** A thread that is given more memory takes more, without need. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 8 }
/** Beside this file, in the sources as in the build. */
const PROGRAM = new URL(`./index-reader${extname(import.meta.url)}`, import.meta.url)

/** Takes what became of the files of a batch. */
export type TakeFiles = (files: readonly ReadFile[]) => Promise<void>

/** Reads batches, in threads where there are many files; the answers come in any order. */
export async function readBatches(
  job: IndexJob,
  batches: readonly FileBatch[],
  take: TakeFiles,
): Promise<void> {
  const files = batches.flat().reduce((sum, folder) => sum + folder.files.length, 0)
  if (files < THREADS_FROM_FILES) return readHere(job, batches, take)
  const count = Math.min(availableParallelism(), THREADS_MAX)
  const workers = Array.from(
    { length: count },
    () => new Worker(PROGRAM, { workerData: job, resourceLimits: THREAD_LIMITS }),
  )
  try {
    const queue = batches.toReversed()
    await Promise.all(workers.map((worker) => feed(worker, queue, take)))
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
}

async function readHere(job: IndexJob, batches: readonly FileBatch[], take: TakeFiles): Promise<void> {
  if (batches.length === 0) return
  const reader = openBatchReader(job)
  try {
    for (const batch of batches) await take(reader.read(batch))
  } finally {
    reader.close()
  }
}

/** Keeps a thread busy until no batch is left. An error in it, or its end, is thrown here. */
async function feed(worker: Worker, queue: FileBatch[], take: TakeFiles): Promise<void> {
  let running = 0
  const give = () => {
    for (; running < AHEAD && queue.length > 0; running += 1) worker.postMessage(queue.pop(), [])
  }
  // A race against a promise that stays open would keep every answer in memory.
  const answers = on(worker, 'message', { close: ['exit'] }) as AsyncIterable<[readonly ReadFile[]]>
  give()
  if (running === 0) return
  for await (const [files] of answers) {
    running -= 1
    give()
    await take(files)
    if (running === 0) return
  }
  throw new Error('a thread has ended')
}
