import { on, once } from 'node:events'
import { availableParallelism } from 'node:os'
import { extname } from 'node:path'
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads'
import type { DigestBatch, FileDigest } from './index-digest.ts'
import { openBatchFinisher } from './index-finish.ts'
import type { IndexJob } from './index-job.ts'
import { type PackedDigest, unpackDigests } from './index-packed.ts'
import { openBatchReader } from './index-read.ts'

const PAIRS_MAX = 2
/** A thread that is given more takes more, without need. */
const THREAD_LIMITS = { maxOldGenerationSizeMb: 160, maxYoungGenerationSizeMb: 8 }
/** Fewer files are digested sooner than a thread has started. */
const THREADS_FROM_FILES = 64
/** Batches that wait at a pair of threads, so that it never waits for one, even while many documents are written. */
const AHEAD = 20
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

/** Digests files, in threads where there are many. */
export interface BatchDigester {
  /** Begins with a batch in a thread, before all of them are known; says whether there was room for it. */
  begin(batch: DigestBatch): boolean
  /** Digests batches, those that were begun among them; the answers come in any order. */
  run(batches: readonly DigestBatch[], take: TakeDigests): Promise<void>
  close(): Promise<void>
}

type TakeDigests = (digests: readonly FileDigest[]) => Promise<void>

/** Opens what digests the files of a run; whoever does so closes it. */
export function openBatchDigester(job: IndexJob): BatchDigester {
  let pairs: Pair[] | undefined
  const start = (): Pair[] => {
    pairs ??= Array.from({ length: countPairs() }, () => startPair(job))
    return pairs
  }
  return {
    begin(batch) {
      const pair = start().reduce((least, one) => (one.running < least.running ? one : least))
      if (pair.running >= AHEAD) return false
      give(pair, batch)
      return true
    },
    async run(batches, take) {
      const files = batches.flat().reduce((sum, folder) => sum + folder.files.length, 0)
      if (pairs === undefined && files < THREADS_FROM_FILES) return digestHere(job, batches, take)
      const queue = batches.toReversed()
      await Promise.all(start().map((pair) => feed(pair, queue, take)))
    },
    async close() {
      await Promise.all((pairs ?? []).flatMap(({ workers }) => workers.map((worker) => worker.terminate())))
    },
  }
}

async function digestHere(job: IndexJob, batches: readonly DigestBatch[], take: TakeDigests): Promise<void> {
  if (batches.length === 0) return
  const reader = openBatchReader(job)
  const finish = openBatchFinisher(job)
  try {
    for (const batch of batches) await take(unpackDigests(await finish(reader.read(batch))))
  } finally {
    reader.close()
  }
}

/** Two threads with different work: each has only its own part of the program to be made fast. */
interface Pair {
  readonly workers: readonly [reader: Worker, finisher: Worker]
  readonly answers: AsyncIterator<[PackedDigest[]]>
  /** Never settles unless a thread ends or fails. */
  readonly failed: Promise<never>
  /** Batches that were given to it and are not answered. */
  running: number
}

function countPairs(): number {
  return Math.min(Math.max(1, Math.floor(availableParallelism() / 2)), PAIRS_MAX)
}

function startPair(job: IndexJob): Pair {
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

function give(pair: Pair, batch: DigestBatch): void {
  pair.running += 1
  pair.workers[0].postMessage(batch, [])
}

/** Keeps a pair busy until no batch is left; an error in one of its threads is thrown here. */
async function feed(pair: Pair, queue: DigestBatch[], take: TakeDigests): Promise<void> {
  const giveMore = () => {
    for (let batch = pair.running < AHEAD && queue.pop(); batch; batch = pair.running < AHEAD && queue.pop())
      give(pair, batch)
  }
  giveMore()
  while (pair.running > 0) {
    const { value } = (await Promise.race([pair.answers.next(), pair.failed])) as { value: [PackedDigest[]] }
    pair.running -= 1
    giveMore()
    await take(unpackDigests(value[0]))
  }
}
