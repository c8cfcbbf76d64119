import type { Progress, RunRow } from './run-store.ts'

/** How far a run has come with how fast it goes; the time left where its source says how much it has. */
export function rateProgress(
  progress: Progress,
  { started_at, ended_at, state }: Pick<RunRow, 'started_at' | 'ended_at' | 'state'>,
  now: Date,
) {
  const until = ended_at === null ? now.getTime() : Date.parse(ended_at)
  const seconds = started_at === null ? 0 : Math.max(0.001, (until - Date.parse(started_at)) / 1_000)
  const rate = (count: number) => (seconds === 0 ? 0 : Math.round((count / seconds) * 10) / 10)
  const { total, records, bytes } = progress
  const isMoving = state === 'running' && total !== null && records > 0 && seconds > 0
  const left = isMoving ? Math.max(0, Math.round(((total - records) * seconds) / records)) : null
  return {
    ...progress,
    records_per_second: rate(records),
    bytes_per_second: rate(bytes),
    seconds_left: left,
  }
}
