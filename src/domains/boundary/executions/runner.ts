import type { AgentInput } from '../../../boundary/index.ts'
import type { Hub } from '../../../operations/hub.ts'
import { reportFault } from '../../../operations/report-fault.ts'
import { keptWith } from '../../../platform/basics/kept-with.ts'
import { openTurns } from '../../../platform/basics/turns.ts'
import type { EnginePolicy } from '../../../platform/policy/engine-policy.ts'
import type { EngineProgress } from '../engines/engine-end.ts'
import { type EngineRoom, openEngineRoom } from '../engines/run-engine.ts'
import { keepLeases } from './keep-leases.ts'
import type { Claim } from './lease-store.ts'
import { workOn } from './work-on.ts'

/** Commands that run at once in one hub: each is a process of its own. */
const COMMAND_SLOTS = 4
/** Calls over HTTP that wait at once. */
const HTTP_SLOTS = 64
/** Executions that wait for their turn in one hub; the next ones are refused until there is room. */
const WAITING_LIMIT = 10_000
/** How long a hub may be silent before another takes over what it worked on. */
const LEASE_MS = 10_000

/** An execution that this hub works on. */
export interface Job {
  readonly claim: Claim
  readonly attempt: number
  readonly input: AgentInput
  readonly engine: EnginePolicy
  readonly stop: AbortController
  progress: EngineProgress | undefined
  /** What has been written of it. */
  written: EngineProgress | undefined
}

/** Runs executions in the background of one hub. */
export interface Runner {
  /** The name under which this hub claims executions. */
  readonly owner: string
  hasRoom(): boolean
  /** The moment until which a claim made now holds. */
  leaseUntil(): string
  start(claim: Claim, attempt: number, input: AgentInput, engine: EnginePolicy): void
  /** Stops an engine whose execution was cancelled. */
  stop(vault_id: string, run_id: string): void
  /** Resolves when this hub no longer works on the execution. */
  settled(vault_id: string, run_id: string): Promise<void> | undefined
}

/** The one runner of a hub; it ends with the hub. */
export const runnerOf = keptWith((hub: Hub): Runner => {
  const { runner, close } = createRunner(hub, openEngineRoom(hub))
  hub.closing.push(close)
  return runner
})

function createRunner(hub: Hub, room: EngineRoom): { runner: Runner; close(): Promise<void> } {
  const owner = `hub_${hub.system.random(12)}`
  const jobs = new Map<string, { job: Job; done: Promise<void> }>()
  const slots = { command: openTurns(COMMAND_SLOTS), http: openTurns(HTTP_SLOTS) }
  const leaseUntil = () => new Date(hub.system.now().getTime() + LEASE_MS).toISOString()
  const leases = keepLeases(hub, { owner, leaseUntil, jobs: () => [...jobs.values()].map(({ job }) => job) })
  let closed = false

  const work = async (job: Job) => {
    const giveBack = await slots[job.engine.kind].take()
    try {
      if (!job.stop.signal.aborted) await workOn(hub, room, job)
    } catch (error) {
      // Nothing was written, and the claim runs out: another hub, or this one, will try again.
      reportFault(hub.log, 'boundary_run', error)
    } finally {
      giveBack()
    }
  }
  const runner: Runner = {
    owner,
    leaseUntil,
    hasRoom: () => !closed && jobs.size < WAITING_LIMIT,
    start(claim, attempt, input, engine) {
      if (closed) return
      const key = keyOf(claim.vault_id, claim.run_id)
      jobs.get(key)?.job.stop.abort()
      const job: Job = {
        claim,
        attempt,
        input,
        engine,
        stop: new AbortController(),
        progress: undefined,
        written: undefined,
      }
      const done = work(job).finally(() => {
        if (jobs.get(key)?.job === job) jobs.delete(key)
        if (jobs.size === 0) leases.rest()
      })
      jobs.set(key, { job, done })
      leases.wake()
    },
    stop: (vault_id, run_id) => jobs.get(keyOf(vault_id, run_id))?.job.stop.abort(),
    settled: (vault_id, run_id) => jobs.get(keyOf(vault_id, run_id))?.done,
  }
  const close = async () => {
    closed = true
    const left = [...jobs.values()]
    for (const { job } of left) job.stop.abort()
    await Promise.allSettled(left.map(({ done }) => done))
    leases.rest()
    if (left.length > 0) await leases.letGo()
    await room.close()
  }
  return { runner, close }
}

function keyOf(vault_id: string, run_id: string): string {
  return `${vault_id} ${run_id}`
}
