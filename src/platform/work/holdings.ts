import { type Task, type WorkKind, type WorkStop, WorkStopped } from './work-kind.ts'
import type { WorkClaim } from './work-table.ts'

/** A row that this process works on. */
export interface Holding<Claim> {
  readonly name: string
  readonly task: Task<Claim>
  /** By this process's own clock, when its lease runs out at the earliest. */
  held_until: number
  stop(why: WorkStop): void
  readonly done: Promise<void>
}

/** Begins to work on a claimed row. A fault leaves its lease to run out: somebody tries again after that. */
export function beginWork<Name extends string, Claim extends WorkClaim<Name>>(
  { table, work, onFault }: Pick<WorkKind<Name, Claim>, 'table' | 'work' | 'onFault'>,
  claim: Claim,
  held: { since: number; renew(): Promise<void>; onEnd(holding: Holding<Claim>): void },
): Holding<Claim> {
  const abort = new AbortController()
  const task: Task<Claim> = {
    claim,
    signal: abort.signal,
    left_ms: () => holding.held_until - performance.now(),
    async renew() {
      await held.renew()
      return !abort.signal.aborted
    },
  }
  const holding: Holding<Claim> = {
    name: table.nameOf(claim),
    task,
    held_until: held.since + table.lease_ms,
    stop: (why) => abort.abort(new WorkStopped(why)),
    // Begins in a later tick, when it is in hand.
    done: Promise.resolve()
      .then(() => work(task))
      .catch(onFault)
      .finally(() => held.onEnd(holding)),
  }
  return holding
}
