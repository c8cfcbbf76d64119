import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import type { Run } from '../../api/shapes'
import { Meter } from '../../parts/meter'
import { Revoke } from '../../parts/revoke'
import { spanWords } from '../../parts/time'

/** How far a run is, how fast, and how long it may still take. */
export function RunProgress({ run }: { run: Run }) {
  const { status, attempt, run_at, progress, fault } = run
  const { records, total, records_per_second, seconds_left } = progress
  const isWaiting = status === 'queued'
  return (
    <span className="run-progress num">
      {total !== null && (
        <Meter left={records / Math.max(1, total)} label={`${records} of ${total} records`} tone="live" />
      )}
      <span>
        {records.toLocaleString('en')}
        {total !== null && ` of ${total.toLocaleString('en')}`} records
        {status === 'running' && ` · ${Math.round(records_per_second)}/s`}
        {seconds_left !== null && ` · ${spanWords(seconds_left * 1_000)} left`}
        {attempt > 1 && ` · attempt ${attempt}`}
        {isWaiting && fault !== null && ` · next try ${run_at.slice(11, 16)} UTC`}
      </span>
    </span>
  )
}

/** Stops one run, after a question. */
export function CancelRun({ run_id }: { run_id: string }) {
  const { client } = useHub()
  return (
    <Revoke
      word="Cancel"
      title="Cancel this run?"
      yes="Cancel the run"
      shownBy={['owner_run_list', 'owner_run_live_list']}
      act={() =>
        answerOf(client.POST('/_ref/runs/{run_id}/cancel', { params: { path: { run_id } }, body: {} }))
      }
    >
      What it has collected stays; the next run goes on from there.
    </Revoke>
  )
}

export function isLive({ status }: Run): boolean {
  return status === 'queued' || status === 'running' || status === 'cancelling'
}
