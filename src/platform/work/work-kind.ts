import type { Transaction } from '../storage/database.ts'
import type { LeasePlace, LeaseTime } from './lease-clock.ts'
import type { WorkClaim, WorkKey, WorkTable } from './work-table.ts'

/** Why work is to stop: another has it or nobody wants it, the hub closes, or the owner has locked everything. */
export type WorkStop = 'lost' | 'closing' | 'locked'

/** What the signal of stopped work is aborted with. */
export class WorkStopped extends Error {
  override readonly name = 'WorkStopped'
  readonly why: WorkStop
  constructor(why: WorkStop) {
    super(why)
    this.why = why
  }
}

/** Work in the hands of this process. `signal` is aborted with a `WorkStopped` as its reason. */
export interface Task<Claim> {
  readonly claim: Claim
  readonly signal: AbortSignal
  /** For how many milliseconds nobody else can have taken it. */
  left_ms(): number
  /** Renews the lease now. False: it is no longer ours. */
  renew(): Promise<boolean>
}

/** One kind of work, as its domain describes it. */
export interface WorkKind<Name extends string, Claim extends WorkClaim<Name>> extends LeasePlace {
  readonly table: WorkTable<Name>
  /** How much of it one process has in hand at most. */
  readonly slots: number
  /** Names what is due and held by nobody. */
  find(time: LeaseTime, limit: number): Promise<WorkKey<Name>[]>
  /** Claims one of these, by the table's `claim`; undefined where there is no work to do after all. */
  claim(tx: Transaction, key: WorkKey<Name>, owner: string): Promise<Claim | undefined>
  /** Works until the end is written, or the task's signal says to stop. */
  work(task: Task<Claim>): Promise<void>
  /** Told of what fails in the background. */
  onFault(error: unknown): void
  /** Whether nothing may be begun, and whether what is under way must stop. */
  mayBeginNothing?(): Promise<boolean>
  mustBreakOff?(): Promise<boolean>
  /** Lets go of all that a worker was told to stop, where the work does not do so itself. */
  releaseAll?(tx: Transaction, owner: string): Promise<void>
  /** Called with each look at what is under way. */
  onCheck?(tasks: readonly Task<Claim>[]): Promise<void>
}

/** Works on one kind of work in the background of one process. */
export interface Worker<Name extends string, Claim extends WorkClaim<Name>> {
  /** The name under which this process claims. */
  readonly owner: string
  /** Whether it may have more in hand. */
  hasRoom(): boolean
  /** What it has in hand. */
  held(): Claim[]
  /** Takes up what is due, as far as there is room. */
  look(): Promise<void>
  /** Says that something is due or was cancelled. Looks soon; nobody waits for it. */
  wake(): void
  /** Takes a row up where nobody holds it. */
  take(key: WorkKey<Name>): Promise<void>
  /** Works on what was claimed before. */
  start(claim: Claim): void
  /** Stops work that nobody wants any more. */
  stop(key: WorkKey<Name>): void
  /** Resolves when this process no longer works on a row. */
  settled(key: WorkKey<Name>): Promise<void> | undefined
  /** Stops what is under way, waits for it and lets go. */
  close(): Promise<void>
}
