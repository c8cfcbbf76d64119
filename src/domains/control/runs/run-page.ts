import type { Hub } from '../../../operations/hub.ts'
import { sql, type Transaction } from '../../../platform/storage/database.ts'
import type { Page } from '../connectors/connector.ts'
import { applyPage, type PageEffect } from '../records/record-store.ts'
import { publishEvent } from '../subscriptions/publish.ts'
import { type RunClaim, RunLost } from './run-moves.ts'
import { rateProgress } from './run-rates.ts'
import type { Progress } from './run-store.ts'
import { tellRunEvent } from './tell-run-event.ts'

const setProgress = sql(
  `UPDATE collection_runs SET progress_json = ? WHERE run_id = ? AND fence = ? AND state = 'running'`,
)

interface KeptPage {
  readonly page: Page
  readonly before: Progress
  /** When its run began, for how fast it goes. */
  readonly started_at: string | null
  readonly isTold: boolean
}

/**
 * Keeps a page, the mark after it and the progress of its run together, or nothing of them: a run that was
 * cancelled or taken over meanwhile writes no more.
 */
export async function keepPage(
  tx: Transaction,
  hub: Hub,
  claim: RunClaim,
  kept: KeptPage,
): Promise<Progress> {
  const { page, before, started_at, isTold } = kept
  const { connection_id, run_id, fence } = claim
  const now = hub.system.now()
  const at = now.toISOString()
  const effect = await applyPage(tx, connection_id, page, at)
  const progress = addPage(before, page, effect)
  if ((await tx.run(setProgress, JSON.stringify(progress), run_id, fence)) === 0)
    throw new RunLost('The run is no longer this hub’s.')
  if (isTold) {
    const rated = rateProgress(progress, { started_at, ended_at: null, state: 'running' }, now)
    const data = { progress: rated }
    await tellRunEvent(tx, hub, { run_id, connection_id, at, type: 'run.progress', data })
  }
  if (effect.last_seq > effect.before_seq)
    await publishEvent(tx, hub, {
      type: 'pdpp.records.changed',
      subject: connection_id,
      connection_id,
      stream: page.stream,
      data: { run_id, changes_since: String(effect.before_seq), ...countsOf(effect) },
    })
  return progress
}

function countsOf({ created, updated, removed }: PageEffect) {
  return { created, updated, removed }
}

function addPage(before: Progress, page: Page, { created, updated, removed }: PageEffect): Progress {
  return {
    pages: before.pages + 1,
    records: before.records + page.upserts.length,
    changed: before.changed + created + updated,
    removed: before.removed + removed,
    bytes: before.bytes + page.bytes,
    total: page.total ?? before.total,
  }
}
