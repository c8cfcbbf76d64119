import { on, once } from 'node:events'
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import { type DigestBatch, type FileDigest, openBatchFinisher, openBatchReader } from './index-digest.ts'
import type { IndexJob } from './index-job.ts'
import { type PackedDigests, unpackDigests } from './index-packed.ts'
import type { IndexThread } from './index-worker.ts'

const PAIRS_MAX = 2
/** A thread that is given more takes more, without need. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 96, maxYoungGenerationSizeMb: 8 }
/** Fewer files are digested sooner than a thread has started. */
const THREADS_FROM_FILES = 64
/** Batches that wait at a pair of threads, so that it never waits for one, even while many documents are written. */
const AHEAD = 3
/** Beside this file, in the sources as in the build. */
const PROGRAM = new URL(`./index-worker${extname(import.meta.url)}`, import.meta.url)

/** Digests batches, in threads where there are many files; the answers come in any order. */
export async function digestAll(
  job: IndexJob,
  batches: readonly DigestBatch[],
  take: (digests: readonly FileDigest[]) => Promise<void>,
): Promise<void> {
  const files = batches.flat().reduce((sum, folder) => sum + folder.files.length, 0)
  return files < THREADS_FROM_FILES ? digestHere(job, batches, take) : digestInThreads(job, batches, take)
}

async function digestHere(
  job: IndexJob,
  batches: readonly DigestBatch[],
  take: (digests: readonly FileDigest[]) => Promise<void>,
): Promise<void> {
  if (batches.length === 0) return
  const reader = openBatchReader(job)
  const finish = openBatchFinisher(job)
  try {
    for (const batch of batches) await take(await finish(reader.read(batch)))
  } finally {
    reader.close()
  }
}

async function digestInThreads(
  job: IndexJob,
  batches: readonly DigestBatch[],
  take: (digests: readonly FileDigest[]) => Promise<void>,
): Promise<void> {
  const queue = batches.toReversed()
  const count = Math.min(Math.max(1, Math.floor(availableParallelism() / 2)), PAIRS_MAX)
  const pairs = Array.from({ length: count }, () => startPair(job))
  try {
    await Promise.all(pairs.map((pair) => feed(pair, queue, take)))
  } finally {
    await Promise.all(pairs.flat().map((worker) => worker.terminate()))
  }
}

/** Two threads with different work: each has only its own part of the program to be made fast. */
function startPair(job: IndexJob): [reader: Worker, finisher: Worker] {
  const { port1, port2 } = new MessageChannel()
  const start = (role: IndexThread['role'], port: MessagePort) =>
    new Worker(PROGRAM, {
      workerData: { job, role, port } satisfies IndexThread,
      transferList: [port],
      resourceLimits: THREAD_LIMITS,
    })
  return [start('read', port1), start('finish', port2)]
}

/** Keeps a pair busy until no batch is left; an error in one of its threads is thrown here. */
async function feed(
  [reader, finisher]: [Worker, Worker],
  queue: DigestBatch[],
  take: (digests: readonly FileDigest[]) => Promise<void>,
): Promise<void> {
  const failed = once(reader, 'exit').then(() => Promise.reject(new Error('a thread has ended')))
  failed.catch(() => {})
  const answers = on(finisher, 'message')
  let running = 0
  const give = () => {
    const batch = queue.pop()
    if (batch === undefined) return
    running += 1
    reader.postMessage(batch, [])
  }
  for (let ahead = 0; ahead < AHEAD; ahead += 1) give()
  while (running > 0) {
    const { value } = (await Promise.race([answers.next(), failed])) as { value: [PackedDigests] }
    running -= 1
    give()
    await take(unpackDigests(value[0]))
  }
}
