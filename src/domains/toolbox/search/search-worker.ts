import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { boundedCache } from '../../../platform/basics/cache.ts'
import { translateFault } from '../../../platform/guard/faults.ts'
import { FileFault, GuardDenied } from '../../../platform/guard/guard.ts'
import { openGuard } from '../../../platform/guard/open-guard.ts'
import { openEngine } from '../../../platform/patterns/engine.ts'
import { doTimed, type EngineThreadData, enterThread } from '../../../platform/patterns/operation-clock.ts'
import { PatternInvalid } from '../../../platform/patterns/patterns.ts'
import { createRedactor, type Redactor, type RedactorOptions } from '../../../platform/redaction/redactor.ts'
import { type FindAll, lookThrough, sieveOf } from './look-through.ts'
import type { SearchAnswer, SearchJob } from './search-job.ts'
import { searchPart } from './search-part.ts'

const KEPT_REDACTORS = 8

function search(findAll: FindAll, job: SearchJob, redactorOf: (options: string) => Redactor): SearchAnswer {
  try {
    // A pattern that is none is refused even where there is nothing to search.
    findAll(job.pattern, new Uint8Array())
    const sieve = job.sifts ? findSieve(findAll, job.pattern) : undefined
    const sought = { pattern: job.pattern, sieve, redactor: redactorOf(JSON.stringify(job.redaction)) }
    const guard = openGuard(job.scope)
    try {
      return { findings: searchPart(guard, (text) => lookThrough(findAll, sought, text), job) }
    } finally {
      guard.close()
    }
  } catch (error) {
    return toAnswer(translateFault(error, job.path))
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
const keepRedactors = () =>
  boundedCache(KEPT_REDACTORS, (key) =>
    createRedactor({ ...(JSON.parse(key) as RedactorOptions), remembers: true }),
  )

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
  const redactorOf = keepRedactors()
  port.on('message', (job: SearchJob) => port.postMessage(search(findAll, job, redactorOf), []))
}

if (parentPort) answerJobs(parentPort, workerData as EngineThreadData)
