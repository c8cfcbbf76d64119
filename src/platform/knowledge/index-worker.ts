import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type DigestBatch, type FileDigest, openBatchFinisher, openBatchReader } from './index-digest.ts'
import type { IndexJob } from './index-job.ts'
import { type PackedDigests, packDigests, unpackDigests } from './index-packed.ts'

/** What a thread is for: one of each pair reads, and the other makes vectors and words of what it has read. */
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
    parent.on('message', (batch: DigestBatch) => hand(port, reader.read(batch)))
    return
  }
  const finish = openBatchFinisher(job)
  port.on('message', async (read: PackedDigests) => hand(parent, await finish(unpackDigests(read))))
}

function hand(port: MessagePort, digests: readonly FileDigest[]): void {
  const packed = packDigests(digests)
  port.postMessage({ digests: packed.digests }, [...packed.blocks])
}

if (parentPort) work(parentPort, workerData as IndexThread)
