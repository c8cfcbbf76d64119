import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { openBatchFinisher } from './index-finish.ts'
import { blocksOf, type PackedTexts, unpackTexts } from './index-packed.ts'
import type { IndexThread } from './thread-pair.ts'

/** The thread that makes documents of what the other one of its pair has read; an error ends it and so the run. */
function work(parent: MessagePort, { job, port }: IndexThread): void {
  const finish = openBatchFinisher(job)
  port.on('message', async (texts: PackedTexts) => {
    const digests = await finish(unpackTexts(texts))
    parent.postMessage(digests, blocksOf(digests))
  })
}

if (parentPort) work(parentPort, workerData as IndexThread)
