import type { DigestBatch, FileDigest } from './index-digest.ts'
import { openBatchFinisher } from './index-finish.ts'
import type { IndexJob } from './index-job.ts'
import { THREADS_FROM_FILES } from './index-limits.ts'
import { type PackedDigest, unpackDigests } from './index-packed.ts'
import { openBatchReader } from './index-read.ts'
import { endPairs, startPairs, type ThreadPair } from './thread-pair.ts'

/** Batches that wait at a pair of threads, so that it never waits for one, even while many documents are written. */
const AHEAD = 20

/** Digests files, in threads where there are many. */
export interface BatchDigester {
  /** Begins with a batch in a thread, before all of them are known; says whether there was room for it. */
  begin(batch: DigestBatch): boolean
  /** Digests batches, those that were begun among them; the answers come in any order. */
  run(batches: readonly DigestBatch[], take: TakeDigests): Promise<void>
  close(): Promise<void>
}

type TakeDigests = (digests: readonly FileDigest[]) => Promise<void>

/** Opens what digests the files of a run, with threads where some were started; whoever does so closes it. */
export function openBatchDigester(job: IndexJob, started?: readonly ThreadPair[]): BatchDigester {
  let pairs = started
  const start = (): readonly ThreadPair[] => {
    pairs ??= startPairs(job)
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
    close: () => endPairs(pairs ?? []),
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

function give(pair: ThreadPair, batch: DigestBatch): void {
  pair.running += 1
  pair.workers[0].postMessage(batch, [])
}

/** Keeps a pair busy until no batch is left; an error in one of its threads is thrown here. */
async function feed(pair: ThreadPair, queue: DigestBatch[], take: TakeDigests): Promise<void> {
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
