import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { withSlot } from '../../../platform/basics/mutex.ts'
import { leaveLostFolder } from '../../../platform/patterns/bounded-thread.ts'
import { SourceFault } from './connector.ts'
import type { ParseAnswer, ParseJob, ParseResult } from './parse-job.ts'

/** Beside this file, in the sources as in the build. */
const PROGRAM = new URL(`./parse-worker${extname(import.meta.url)}`, import.meta.url)
const HEAP_LIMIT_MB = 384
const TIME_LIMIT_MS = 30_000
/** Parsers that work at the same time in this process; the others wait. */
const MAX_THREADS = 2
const MAX_WAITING = 1_000

const bound = {
  limit: MAX_WAITING,
  full: () => new SourceFault('unreachable', 'The hub has too much to read now.'),
}

/** Parses what a source sent in a thread of its own, which is ended when it takes too long or too much. */
export async function parseApart(job: ParseJob, signal: AbortSignal): Promise<ParseResult> {
  const answer = await withSlot('sources', MAX_THREADS, () => runThread(job, signal), { signal, bound })
  if ('fault' in answer) throw new SourceFault(answer.fault.code, answer.fault.message)
  return answer
}

function runThread(job: ParseJob, signal: AbortSignal): Promise<ParseAnswer> {
  return new Promise((resolve, reject) => {
    leaveLostFolder()
    const worker = new Worker(PROGRAM, {
      workerData: job,
      // Nothing in it is set from outside, so it sees nothing of the environment and its options.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MB },
      stdout: true,
      stderr: true,
    })
    // Parsers complain in the words of what they read; none of that belongs into the hub's own output.
    worker.stdout.resume()
    worker.stderr.resume()
    const end = (settle: () => void) => {
      clearTimeout(timer)
      signal.removeEventListener('abort', cancel)
      settle()
      void worker.terminate()
    }
    const cancel = () => end(() => reject(signal.reason as Error))
    const timer = setTimeout(() => end(() => reject(tooMuch('took too long to read'))), TIME_LIMIT_MS)
    signal.addEventListener('abort', cancel)
    worker.once('message', (answer: ParseAnswer) => end(() => resolve(answer)))
    worker.once('error', () => end(() => reject(tooMuch('could not be read within its limits'))))
    worker.once('exit', () => end(() => reject(tooMuch('could not be read'))))
  })
}

function tooMuch(what: string): SourceFault {
  return new SourceFault('too_large', `What the source sent ${what}.`)
}
