import { parentPort, workerData } from 'node:worker_threads'
import type { IndexJob } from './index-job.ts'
import type { FileBatch } from './index-plan.ts'
import { openBatchReader } from './index-read.ts'

/** The thread that reads one batch after the other. An error ends it, and so the run. */
if (parentPort) {
  const parent = parentPort
  const reader = openBatchReader(workerData as IndexJob)
  parent.on('message', (batch: FileBatch) => parent.postMessage(reader.read(batch), []))
}
