import { setTimeout as sleep } from 'node:timers/promises'
import { type BoundedThread, startThread } from './bounded-thread.ts'
import { PatternTimeout, ThreadUnavailable } from './patterns.ts'

const WAITING_LIMIT = 1_000
/** Before each further try to start a thread: what is short, such as descriptors, mostly is for a moment. */
const WAITS_MS = [50, 200, 500]

export interface ThreadPoolOptions {
  readonly program: URL
  readonly thread_limit: number
  /** Threads that are kept ready beside those at work, so that the end of one is not felt. */
  readonly spares: number
  /** Threads are ended when there was nothing to do for so long. */
  readonly idle_ms: number
  /** What every thread gets to work with. */
  readonly loadData: () => Promise<object>
}

/** Threads that are started when needed, and never keep the process from ending. */
export interface ThreadPool<Job, Answer> {
  run(job: Job): Promise<Answer>
  close(): Promise<void>
}

/** A job that waits for a thread. */
interface Waiting<Thread> {
  give(thread: Thread): void
  refuse(error: Error): void
}

/** A pool of threads that share their jobs; a job that is stopped takes no other along. */
export function openThreadPool<Job, Answer>(options: ThreadPoolOptions): ThreadPool<Job, Answer> {
  type Thread = BoundedThread<Job, Answer>
  const busy = new Set<Thread>()
  const waiting: Waiting<Thread>[] = []
  let idle: Thread[] = []
  let data: object | undefined
  let timer: NodeJS.Timeout | undefined
  let isClosed = false

  const start = () => startThread<Job, Answer>(options.program, data as object)
  const isFull = () => busy.size + idle.length >= options.thread_limit

  function take(thread: Thread): Thread {
    busy.add(thread)
    clearTimeout(timer)
    return thread
  }

  function acquire(): Thread | Promise<Thread> {
    idle = idle.filter((thread) => !thread.hasEnded())
    const thread = idle.pop() ?? (isFull() ? undefined : start())
    if (thread) return take(thread)
    if (waiting.length >= WAITING_LIMIT)
      throw new PatternTimeout('Too many patterns wait to be searched for.')
    return new Promise((resolve, refuse) => {
      waiting.push({ give: (freed) => resolve(take(freed)), refuse })
    })
  }

  function release(thread: Thread): void {
    busy.delete(thread)
    if (isClosed) return void thread.end()
    const next = waiting.shift()
    if (next) handOn(next, () => (thread.hasEnded() ? start() : thread))
    else if (!thread.hasEnded()) idle.push(thread)
    // They are for speed alone: where none can be had, the next job starts its own.
    ifAvailable(() => {
      while (busy.size + idle.length <= options.spares) idle.push(start())
    })
    if (busy.size === 0) timer = setTimeout(endIdle, options.idle_ms).unref()
  }

  async function endIdle(): Promise<void> {
    clearTimeout(timer)
    const ended = idle
    idle = []
    await Promise.all(ended.map((thread) => thread.end()))
  }

  return {
    run: (job) =>
      withTries(async () => {
        data ??= await options.loadData().catch(unavailable)
        if (isClosed) throw closedError()
        const thread = await acquire()
        return thread.run(job).finally(() => release(thread))
      }),
    async close() {
      isClosed = true
      for (const { refuse } of waiting.splice(0)) refuse(closedError())
      await Promise.all([endIdle(), ...[...busy].map((thread) => thread.end())])
    },
  }
}

async function withTries<Result>(act: () => Promise<Result>): Promise<Result> {
  for (const wait_ms of WAITS_MS) {
    try {
      return await act()
    } catch (error) {
      if (!(error instanceof ThreadUnavailable)) throw error
      await sleep(wait_ms)
    }
  }
  return act()
}

function handOn<Thread>(next: Waiting<Thread>, ready: () => Thread): void {
  try {
    next.give(ready())
  } catch (error) {
    next.refuse(error as Error)
  }
}

function ifAvailable(act: () => void): void {
  try {
    act()
  } catch (error) {
    if (!(error instanceof ThreadUnavailable)) throw error
  }
}

function unavailable(cause: unknown): never {
  throw new ThreadUnavailable(cause)
}

function closedError(): Error {
  return new Error('The threads are closed.')
}
