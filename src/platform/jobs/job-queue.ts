/** A job in the hands of one worker. Who lost it to another holds a token that counts for nothing. */
export interface Ticket {
  readonly job_id: string
  readonly token: string
}

/**
 * What brings jobs to workers, in this process or another. A job that was added goes to one worker at a
 * time; one whose worker is silent for longer than `LEASE_MS` goes to the next.
 */
export interface Carrier {
  /** Adds jobs, unless they are there already. */
  add(job_ids: readonly string[]): Promise<void>
  /** Takes up to so many jobs that nobody works on, the longest waiting first. */
  claim(limit: number): Promise<Ticket[]>
  /** Tells that the work goes on. Answers the tickets that still count. */
  renew(tickets: readonly Ticket[]): Promise<Ticket[]>
  /** Ends a job, unless another worker has it by now. */
  finish(ticket: Ticket): Promise<void>
  close(): Promise<void>
}

/** How long a worker may be silent before its job goes to another. */
export const LEASE_MS = 10_000
const RENEW_EVERY_MS = 2_500

/** Why the work on a job is to stop: another worker has it, or the queue closes. */
export type JobStop = 'lost' | 'closing'

/** A job that is worked on. `signal` is aborted with a `JobStop` as its reason. */
export interface Job {
  readonly job_id: string
  readonly signal: AbortSignal
}

/** Works on jobs in the background, so many at a time. */
export interface JobQueue {
  /** How many jobs this process works on. */
  readonly busy: number
  add(job_ids: readonly string[]): Promise<void>
  /** Takes what there is to do, as far as there are free hands. */
  look(): Promise<void>
  /** Resolves when the job is no longer worked on here. */
  settled(job_id: string): Promise<void> | undefined
  /** Aborts what is under way, waits for it and lets go. */
  close(): Promise<void>
}

export interface JobWork {
  readonly slots: number
  work(job: Job): Promise<void>
  /** Told of what fails in the background. */
  onFault(error: unknown): void
}

interface Held {
  readonly ticket: Ticket
  readonly stop: AbortController
  readonly done: Promise<void>
}

/** Joins a carrier and what is to be done with its jobs. */
export function openJobQueue(carrier: Carrier, { slots, work, onFault }: JobWork): JobQueue {
  const held = new Map<string, Held>()
  let timer: NodeJS.Timeout | undefined
  let looking: Promise<void> | undefined
  let closed = false

  const run = async (ticket: Ticket, stop: AbortController) => {
    await work({ job_id: ticket.job_id, signal: stop.signal }).catch(onFault)
    // Kept in hand until it is off the list: else the next look could take it again.
    await carrier.finish(ticket).catch(onFault)
    if (held.get(ticket.job_id)?.ticket === ticket) held.delete(ticket.job_id)
    if (held.size === 0) timer = void clearInterval(timer)
  }
  const take = (ticket: Ticket) => {
    const stop = new AbortController()
    held.get(ticket.job_id)?.stop.abort('lost' satisfies JobStop)
    // The work begins in a later turn, when it is in hand.
    const done = Promise.resolve().then(() => run(ticket, stop))
    held.set(ticket.job_id, { ticket, stop, done })
    timer ??= setInterval(() => void renew().catch(onFault), RENEW_EVERY_MS)
  }
  const renew = async () => {
    const before = [...held.values()]
    const kept = await carrier.renew(before.map(({ ticket }) => ticket))
    const tokens = new Set(kept.map(({ token }) => token))
    for (const { ticket, stop } of before) if (!tokens.has(ticket.token)) stop.abort('lost' satisfies JobStop)
  }
  const lookOnce = async () => {
    const free = slots - held.size
    if (closed || free <= 0) return
    for (const ticket of await carrier.claim(free)) take(ticket)
  }
  const look = () => (looking ??= lookOnce().finally(() => (looking = undefined)))
  return {
    get busy() {
      return held.size
    },
    add: (job_ids) => carrier.add(job_ids),
    look,
    settled: (job_id) => held.get(job_id)?.done,
    async close() {
      closed = true
      await looking?.catch(() => {})
      for (const { stop } of held.values()) stop.abort('closing' satisfies JobStop)
      await Promise.allSettled([...held.values()].map(({ done }) => done))
      clearInterval(timer)
      await carrier.close()
    },
  }
}
