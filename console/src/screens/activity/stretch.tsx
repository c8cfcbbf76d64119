import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useHub } from '../../api/hub'
import { histogramQuery } from '../../api/queries'
import { CallBars } from '../../parts/bars'
import { Fault } from '../../parts/panel'
import { ValueBars } from '../../parts/value-bars'
import { type ActivitySearch, STRETCHES } from '../../router'

const NAMES = { 60: 'hour', 360: '6 hours', 1_440: 'day' } as const

/** How much happened lately, and how long it took. A stretch that is drawn over narrows the list to it. */
export function Stretch({ search }: { search: ActivitySearch }) {
  const hub = useHub()
  const navigate = useNavigate({ from: '/activity' })
  const [isLatency, setLatency] = useState(false)
  const { minutes = STRETCHES[0] } = search
  const histogram = useQuery(histogramQuery(hub, minutes))
  const put = (more: Partial<Pick<ActivitySearch, 'since' | 'until' | 'minutes'>>) =>
    void navigate({ search: ({ record: _record, why: _why, ...kept }) => ({ ...kept, ...more }) })
  if (histogram.error) return <Fault error={histogram.error} />
  const { bars = [], bar_seconds = 60, own_reads = 0, complete = true, total } = histogram.data ?? {}
  const last = NAMES[minutes as keyof typeof NAMES]
  return (
    <div className="hour">
      <p className="hour-head small soft">
        <label>
          Last{' '}
          <select value={minutes} onChange={({ target }) => put({ minutes: Number(target.value) })}>
            {STRETCHES.map((one) => (
              <option key={one} value={one}>
                {NAMES[one]}
              </option>
            ))}
          </select>
        </label>
        <span className="choice" role="group" aria-label="What the bars are">
          <button type="button" aria-pressed={!isLatency} onClick={() => setLatency(false)}>
            Calls
          </button>
          <button type="button" aria-pressed={isLatency} onClick={() => setLatency(true)}>
            Latency
          </button>
        </span>
        {total && (
          <span className="num">
            {(total.allowed + total.denied + total.failed).toLocaleString('en')} calls,{' '}
            {total.denied.toLocaleString('en')} refused, {total.failed.toLocaleString('en')} failed
            {!complete && ', as far as counted'}
            {own_reads > 0 && (
              <span className="faint"> · {own_reads.toLocaleString('en')} reads of your own left out</span>
            )}
          </span>
        )}
      </p>
      {bars.length > 0 && !isLatency && (
        <CallBars
          bars={bars}
          label={`Calls of the last ${last}; draw over a stretch to see its calls`}
          pick={(since, until) =>
            put({ since, until: new Date(Date.parse(until) + bar_seconds * 1_000).toISOString() })
          }
        />
      )}
      {bars.length > 0 && isLatency && (
        <ValueBars
          label={`The slowest call of each moment of the last ${last}`}
          unit="ms"
          bars={bars.map(({ at, slowest_ms, mean_ms }) => ({
            key: at,
            at,
            value: slowest_ms,
            note: `mean ${mean_ms} ms`,
          }))}
        />
      )}
    </div>
  )
}
