import type { Hub } from '../../../operations/hub.ts'
import { reportFault } from '../../../operations/report-fault.ts'
import { mustBreakOff } from '../../../operations/rest-while-locked.ts'
import type { EngineProgress } from '../engines/engine-end.ts'
import { plainNote } from '../engines/progress-lines.ts'
import {
  type Claim,
  letGoOfAll,
  listClaims,
  releaseClaims,
  renewLeases,
  writeProgress,
} from './lease-store.ts'
import type { Job } from './runner.ts'

/** How often a hub that runs engines looks whether they are still wanted, and tells how far they are. */
const LOOK_EVERY_MS = 500
/** How often it renews its claims. */
const RENEW_EVERY_MS = 2_500
const CLAIM_LIMIT = 20_000
/** A claim until then is one that anybody may take. */
const LET_GO = '0'

interface Keeping {
  owner: string
  leaseUntil(): string
  jobs(): Job[]
}

/** What engines have said of their progress since it was last written, without secrets. */
async function whatIsNew(hub: Pick<Hub, 'redactValue'>, jobs: readonly Job[]) {
  const told = jobs.filter((job) => job.progress !== job.written)
  // Kept beside what is shown: an engine may say more while this is being written.
  return Promise.all(
    told.map(async (job) => {
      const { progress } = job
      return { job, progress, shown: await shownProgress(hub, progress as EngineProgress) }
    }),
  )
}

async function shownProgress(
  hub: Pick<Hub, 'redactValue'>,
  { share, note }: EngineProgress,
): Promise<EngineProgress> {
  if (note === null) return { share, note }
  const { note: shown } = (await hub.redactValue({ note })) as { note: string }
  return { share, note: plainNote(shown) }
}

/** Keeps the claims of a hub alive while it works, and stops engines that nobody wants any more. */
export function keepLeases(hub: Hub, { owner, leaseUntil, jobs }: Keeping) {
  let timer: NodeJS.Timeout | undefined
  let looking = false
  let renewed = 0
  let suspects = new Set<string>()

  async function look(): Promise<void> {
    // What began after the claims were read cannot be missing from them.
    const before = jobs()
    if (await mustBreakOff(hub)) return breakOff(before)
    const claims = await listClaims(hub.db, owner, CLAIM_LIMIT)
    const live = new Set(claims.map(({ claim }) => claim))
    for (const job of before) if (!live.has(job.claim.claim)) job.stop.abort()
    await letGoOfLost(claims)
    const told = await whatIsNew(hub, before)
    const isDue = performance.now() - renewed >= RENEW_EVERY_MS
    if (told.length === 0 && !isDue) return
    const at = hub.system.now().toISOString()
    await hub.db.transaction(async (tx) => {
      if (isDue) await renewLeases(tx, owner, leaseUntil())
      for (const { job, shown } of told) {
        await writeProgress(tx, job.claim, JSON.stringify({ ...shown, at }), at)
      }
    })
    if (isDue) renewed = performance.now()
    for (const { job, progress } of told) job.written = progress
  }

  /** Ends engines without an end of their executions, which go on when the lock has gone. */
  async function breakOff(all: readonly Job[]): Promise<void> {
    for (const job of all) job.stop.abort()
    await letGo()
  }

  /** A claim that no job has, twice in a row, is of one whose end could not be written. */
  async function letGoOfLost(claims: readonly Claim[]): Promise<void> {
    const held = new Set(jobs().map(({ claim }) => claim.claim))
    const lost = claims.filter(({ claim }) => !held.has(claim))
    const sure = lost.filter(({ claim }) => suspects.has(claim))
    suspects = new Set(lost.map(({ claim }) => claim))
    if (sure.length > 0) await hub.db.transaction((tx) => releaseClaims(tx, sure, LET_GO))
  }

  const letGo = () => hub.db.transaction((tx) => letGoOfAll(tx, owner))
  const tick = () => {
    if (looking) return
    looking = true
    look()
      .catch((error: unknown) => reportFault(hub.log, 'boundary_leases', error))
      .finally(() => (looking = false))
  }
  return {
    wake() {
      if (timer) return
      renewed = performance.now()
      timer = setInterval(tick, LOOK_EVERY_MS)
    },
    rest() {
      clearInterval(timer)
      timer = undefined
    },
    /** Lets other hubs take over at once what this one did not finish. */
    letGo,
  }
}
