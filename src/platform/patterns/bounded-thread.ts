import { realpathSync } from 'node:fs'
import { Worker } from 'node:worker_threads'
import { createClock, hasEntered, type OperationClock, usedMs } from './operation-clock.ts'
import { PATTERN_TIME_LIMIT_MS, PatternTimeout, ThreadUnavailable } from './patterns.ts'

const HEAP_LIMIT_MB = 256

/** A thread that does one job at a time and is ended when one operation in it takes too long. */
export interface BoundedThread<Job, Answer> {
  /** Throws PatternTimeout, ThreadUnavailable where it never got to its work, or whatever ended the thread; after either the thread is no more. */
  run(job: Job): Promise<Answer>
  hasEnded(): boolean
  end(): Promise<void>
}

interface Task<Answer> {
  resolve(answer: Answer): void
  reject(error: Error): void
}

/**
 * Starts a thread on a program that answers each message with one, and times its operations on the clock it
 * finds beside its data. The process does not wait for the thread except while it does a job.
 */
export function startThread<Job, Answer>(program: URL, data: object): BoundedThread<Job, Answer> {
  const clock = createClock()
  const worker = startWorker(program, data, clock)
  let task: Task<Answer> | undefined
  let timer: NodeJS.Timeout | undefined
  let hasEnded = false

  function settle(tell: (task: Task<Answer>) => void): void {
    const settled = task
    task = undefined
    clearTimeout(timer)
    worker.unref()
    if (settled) tell(settled)
  }

  function stop(reason: Error): Promise<unknown> {
    hasEnded = true
    settle(({ reject }) => reject(reason))
    return worker.terminate()
  }

  /** Time runs from the moment the thread begins an operation; its start does not count. */
  function watch(): void {
    const left_ms = PATTERN_TIME_LIMIT_MS - usedMs(clock, PATTERN_TIME_LIMIT_MS)
    if (left_ms <= 0) void stop(timeout())
    else timer = setTimeout(watch, Math.ceil(left_ms))
  }

  worker.on('message', (answer: Answer) => settle(({ resolve }) => resolve(answer)))
  const asKnown = (error: Error) => (hasEntered(clock) ? error : new ThreadUnavailable(error))
  worker.on('error', (error: Error) => void stop(asKnown(error)))
  worker.on('exit', () => void stop(asKnown(new Error('A thread ended before its job was done.'))))
  // After the listeners, for each of them makes the process wait again.
  worker.unref()
  return {
    run: (job) =>
      new Promise<Answer>((resolve, reject) => {
        task = { resolve, reject }
        worker.ref()
        worker.postMessage(job, [])
        watch()
      }),
    hasEnded: () => hasEnded,
    end: async () => void (await stop(new Error('The thread was ended.'))),
  }
}

function startWorker(program: URL, data: object, clock: OperationClock): Worker {
  leaveLostFolder()
  try {
    return new Worker(program, {
      workerData: { ...data, clock },
      // Nothing in these programs is set from outside, so they see nothing of the environment and its options.
      env: {},
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: HEAP_LIMIT_MB },
    })
  } catch (error) {
    throw new ThreadUnavailable(error)
  }
}

function timeout(): PatternTimeout {
  return new PatternTimeout(`The pattern took longer than ${PATTERN_TIME_LIMIT_MS} ms and was stopped.`)
}

/**
 * Goes to the top folder where the one that the process was started in is gone: Node starts no thread and no process
 * of its own from there. Nothing that is named from there could be found any more.
 */
export function leaveLostFolder(): void {
  try {
    realpathSync.native('.')
  } catch {
    process.chdir('/')
  }
}
