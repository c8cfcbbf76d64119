import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type DigestBatch, openDigester } from './index-digest.ts'
import type { IndexJob } from './index-job.ts'
import { packDigests } from './index-packed.ts'

/** Answers one batch after the other; an error ends the thread and so the run. */
function answerBatches(port: MessagePort, job: IndexJob): void {
  const digester = openDigester(job)
  port.on('message', async (batch: DigestBatch) => {
    const packed = packDigests(await digester.digest(batch))
    port.postMessage(packed, [packed.vectors.buffer])
  })
}

if (parentPort) answerBatches(parentPort, workerData as IndexJob)
