import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { compileLittle } from '../basics/compile-little.ts'
import type { DigestBatch } from './index-digest.ts'
import { packTexts } from './index-packed.ts'
import { openBatchReader } from './index-read.ts'
import type { IndexThread } from './thread-pair.ts'

/** The thread that reads: one batch after the other; an error ends it and so the run. */
function work(parent: MessagePort, { job, port }: IndexThread): void {
  compileLittle()
  const reader = openBatchReader(job)
  parent.on('message', (batch: DigestBatch) => {
    const texts = packTexts(reader.read(batch))
    port.postMessage(texts, [texts.block])
  })
}

if (parentPort) work(parentPort, workerData as IndexThread)
