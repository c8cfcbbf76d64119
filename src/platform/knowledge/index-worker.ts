import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type DigestBatch, openBatchFinisher, openBatchReader } from './index-digest.ts'
import type { IndexJob } from './index-job.ts'
import { blocksOf, type PackedTexts, packTexts, unpackTexts } from './index-packed.ts'

/** What a thread is for: one of each pair reads, and the other makes documents of what it has read. */
export interface IndexThread {
  readonly job: IndexJob
  readonly role: 'read' | 'finish'
  /** Between the two of a pair. */
  readonly port: MessagePort
}

/** Works on one batch after the other; an error ends the thread and so the run. */
function work(parent: MessagePort, { job, role, port }: IndexThread): void {
  if (role === 'read') {
    const reader = openBatchReader(job)
    parent.on('message', (batch: DigestBatch) => {
      const texts = packTexts(reader.read(batch))
      port.postMessage(texts, [texts.block])
    })
    return
  }
  const finish = openBatchFinisher(job)
  port.on('message', async (texts: PackedTexts) => {
    const digests = await finish(unpackTexts(texts))
    parent.postMessage(digests, blocksOf(digests))
  })
}

if (parentPort) work(parentPort, workerData as IndexThread)
