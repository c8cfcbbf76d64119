import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { keptLately } from '../../../platform/basics/kept-lately.ts'
import { FileFault, GuardDenied } from '../../../platform/guard/guard.ts'
import { openGuard } from '../../../platform/guard/open-guard.ts'
import { openEngine } from '../../../platform/patterns/engine.ts'
import { doTimed, enterThread } from '../../../platform/patterns/operation-clock.ts'
import { PatternInvalid } from '../../../platform/patterns/patterns.ts'
import type { EngineThreadData } from '../../../platform/patterns/thread-data.ts'
import { createRedactor, type Redactor, type RedactorOptions } from '../../../platform/redaction/redactor.ts'
import { type FindAll, lookThrough } from './look-through.ts'
import type { SearchAnswer, SearchJob } from './search-job.ts'
import { searchPart } from './search-part.ts'
import { sieveOf } from './sieve.ts'

const KEPT_REDACTORS = 8

function search(findAll: FindAll, job: SearchJob): SearchAnswer {
  try {
    // A pattern that is none is refused even where there is nothing to search.
    findAll(job.pattern, new Uint8Array())
    const sieve = job.sifts ? findSieve(findAll, job.pattern) : undefined
    const sought = { pattern: job.pattern, sieve, redactor: redactorOf(job.redaction) }
    const guard = openGuard(job.scope)
    try {
      return { findings: searchPart(guard, (text) => lookThrough(findAll, sought, text), job) }
    } finally {
      guard.close()
    }
  } catch (error) {
    return toAnswer(error)
  }
}

/** Without a sieve every text is redacted, which takes longer and finds the same. */
function findSieve(findAll: FindAll, pattern: string): string | undefined {
  const sieve = sieveOf(pattern)
  try {
    findAll(sieve, new Uint8Array())
    return sieve
  } catch (error) {
    if (error instanceof PatternInvalid) return undefined
    throw error
  }
}

/** Redactors take a while to make, and searches of one service follow each other. */
const redactorFor = keptLately(KEPT_REDACTORS, (key) =>
  createRedactor({ ...(JSON.parse(key) as RedactorOptions), remembers: true }),
)

function redactorOf(options: RedactorOptions): Redactor {
  return redactorFor(JSON.stringify(options))
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
