import { on } from 'node:events'
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { type DigestBatch, type FileDigest, openDigester } from './index-digest.ts'
import type { IndexJob } from './index-job.ts'
import { type PackedDigests, unpackDigests } from './index-packed.ts'

const THREADS_MAX = 4
/** Fewer files are digested sooner than a thread has started. */
const THREADS_FROM_FILES = 64
/** Batches that wait at a thread, so that it never waits for one. */
const AHEAD = 2
/** Beside this file, in the sources as in the build. */
const PROGRAM = new URL(`./index-worker${extname(import.meta.url)}`, import.meta.url)

/** Digests batches, in threads where there are many files; the answers come in any order. */
export async function digestAll(
  job: IndexJob,
  batches: readonly DigestBatch[],
  take: (digests: readonly FileDigest[]) => Promise<void>,
): Promise<void> {
  const files = batches.reduce((sum, batch) => sum + batch.files.length, 0)
  return files < THREADS_FROM_FILES ? digestHere(job, batches, take) : digestInThreads(job, batches, take)
}

async function digestHere(
  job: IndexJob,
  batches: readonly DigestBatch[],
  take: (digests: readonly FileDigest[]) => Promise<void>,
): Promise<void> {
  if (batches.length === 0) return
  const digester = openDigester(job)
  try {
    for (const batch of batches) await take(await digester.digest(batch))
  } finally {
    digester.close()
  }
}

async function digestInThreads(
  job: IndexJob,
  batches: readonly DigestBatch[],
  take: (digests: readonly FileDigest[]) => Promise<void>,
): Promise<void> {
  const queue = batches.toReversed()
  const count = Math.min(availableParallelism(), THREADS_MAX)
  const workers = Array.from({ length: count }, () => new Worker(PROGRAM, { workerData: job }))
  try {
    await Promise.all(workers.map((worker) => feed(worker, queue, take)))
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()))
  }
}

/** Keeps a thread busy until no batch is left; an error in the thread is thrown here. */
async function feed(
  worker: Worker,
  queue: DigestBatch[],
  take: (digests: readonly FileDigest[]) => Promise<void>,
): Promise<void> {
  const answers = on(worker, 'message')
  let running = 0
  const give = () => {
    const batch = queue.pop()
    if (batch === undefined) return
    running += 1
    worker.postMessage(batch, [])
  }
  for (let ahead = 0; ahead < AHEAD; ahead += 1) give()
  while (running > 0) {
    const { value } = (await answers.next()) as { value: [PackedDigests] }
    running -= 1
    give()
    await take(unpackDigests(value[0]))
  }
}
