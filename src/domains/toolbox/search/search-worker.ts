import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { FileFault, GuardDenied } from '../../../platform/guard/guard.ts'
import { openGuard } from '../../../platform/guard/open-guard.ts'
import { openEngine } from '../../../platform/patterns/engine.ts'
import { doTimed, enterThread } from '../../../platform/patterns/operation-clock.ts'
import { PatternInvalid } from '../../../platform/patterns/patterns.ts'
import type { EngineThreadData } from '../../../platform/patterns/thread-data.ts'
import type { SearchAnswer, SearchJob } from './search-job.ts'
import { type FindAll, searchPart } from './search-part.ts'

function search(findAll: FindAll, job: SearchJob): SearchAnswer {
  try {
    // A pattern that is none is refused even where there is nothing to search.
    findAll(job.pattern, new Uint8Array())
    const guard = openGuard(job.scope)
    try {
      return { findings: searchPart(guard, findAll, job) }
    } finally {
      guard.close()
    }
  } catch (error) {
    return toAnswer(error)
  }
}

/** Errors of these kinds lose their kind on the way between threads. */
function toAnswer(error: unknown): SearchAnswer {
  if (error instanceof PatternInvalid) return { invalid: error.message }
  if (error instanceof GuardDenied) return { denied: error.reason, path: error.path }
  if (error instanceof FileFault) return { fault: error.code, path: error.path, message: error.message }
  throw error
}

function answerJobs(port: MessagePort, { clock, module }: EngineThreadData): void {
  enterThread(clock)
  const engine = openEngine(module)
  const findAll: FindAll = (pattern, text) => doTimed(clock, () => engine.findAll(pattern, text))
  port.on('message', (job: SearchJob) => port.postMessage(search(findAll, job), []))
}

if (parentPort) answerJobs(parentPort, workerData as EngineThreadData)
