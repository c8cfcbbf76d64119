import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { type Engine, openEngine } from './engine.ts'
import { toSearchableBytes, toUtf16Indexes } from './engine-text.ts'
import { doTimed, type EngineThreadData, enterThread } from './operation-clock.ts'
import { type PatternAnswer, PatternInvalid, type PatternJob } from './patterns.ts'

function findAll(engine: Engine, { pattern, text }: PatternJob): PatternAnswer {
  try {
    const bytes = toSearchableBytes(text)
    return { indexes: Uint32Array.from(toUtf16Indexes(text, engine.findAll(pattern, bytes), bytes.length)) }
  } catch (error) {
    if (error instanceof PatternInvalid) return { invalid: error.message }
    throw error
  }
}

function answerJobs(port: MessagePort, { clock, module }: EngineThreadData): void {
  enterThread(clock)
  const engine = openEngine(module)
  port.on('message', (job: PatternJob) => {
    const answer = doTimed(clock, () => findAll(engine, job))
    port.postMessage(answer, 'indexes' in answer ? [answer.indexes.buffer] : [])
  })
}

if (parentPort) answerJobs(parentPort, workerData as EngineThreadData)
