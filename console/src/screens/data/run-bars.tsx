import type { Run } from '../../api/shapes'
import { ValueBars } from '../../parts/value-bars'

/** How much each of the last runs brought; the oldest on the left. */
export function RunBars({ runs }: { runs: readonly Run[] }) {
  const ended = runs.filter(({ ended_at }) => ended_at !== null).toReversed()
  if (ended.length < 2) return null
  return (
    <ValueBars
      label={`Records of the last ${ended.length} runs`}
      unit="records"
      bars={ended.map(({ run_id, ended_at, queued_at, progress, status }) => ({
        key: run_id,
        at: ended_at ?? queued_at,
        value: progress.records,
        isBad: status === 'failed',
        note: status,
      }))}
    />
  )
}
