import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import type { Connection } from '../../api/shapes'
import { previewQuery, type Timing } from '../../api/source-queries'
import { Act, useAct } from '../../parts/act'
import { Fault, Panel } from '../../parts/panel'
import { Revoke } from '../../parts/revoke'
import { Status } from '../../parts/status'
import { exactTime, Left } from '../../parts/time'
import { timingWords } from './source-states'

const SHOWN_BY = ['owner_connection_show', 'owner_connection_list', 'owner_connection_diagnostics'] as const
const UNITS = { minutes: 60, hours: 3_600, days: 86_400 } as const
const ZONE = Intl.DateTimeFormat().resolvedOptions().timeZone || 'UTC'

/** When a source collects by itself: in words, with its next times, and the form that changes it. */
export function SourceSchedule({ connection }: { connection: Connection }) {
  const { schedule, status } = connection
  return (
    <>
      {schedule === null ? (
        <Panel title="Now">
          <p className="empty">It collects when you say so, and never by itself.</p>
        </Panel>
      ) : (
        <Current connection={connection} schedule={schedule} />
      )}
      {status === 'active' && <ScheduleForm key={JSON.stringify(schedule)} connection={connection} />}
    </>
  )
}

function Current(props: { connection: Connection; schedule: NonNullable<Connection['schedule']> }) {
  const { connection, schedule } = props
  const { client } = useHub()
  const { enabled, next_run_at, cron, interval_seconds, timezone } = schedule
  const params = { path: { connection_id: connection.connection_id } }
  return (
    <Panel title="Now">
      <div className="source">
        <p>
          <Status state={enabled ? 'on' : 'off'}>{enabled ? 'on' : 'paused'}</Status>{' '}
          {timingWords({ cron, interval_seconds, timezone })}
          {enabled && next_run_at !== null && (
            <>
              {' '}
              · next in <Left until={next_run_at} /> <span className="faint">{exactTime(next_run_at)}</span>
            </>
          )}
        </p>
        {enabled && cron !== null && <NextTimes timing={{ cron, timezone }} />}
        {connection.status === 'active' && (
          <p className="acts">
            {enabled ? (
              <Act
                shownBy={SHOWN_BY}
                act={() =>
                  answerOf(
                    client.POST('/v1/owner/connections/{connection_id}/schedule/pause', { params, body: {} }),
                  )
                }
              >
                Pause
              </Act>
            ) : (
              <Act
                shownBy={SHOWN_BY}
                act={() =>
                  answerOf(
                    client.POST('/v1/owner/connections/{connection_id}/schedule/resume', {
                      params,
                      body: {},
                    }),
                  )
                }
              >
                Go on
              </Act>
            )}
            <Revoke
              word="Remove"
              title="Remove the schedule?"
              yes="Remove it"
              shownBy={SHOWN_BY}
              act={() =>
                answerOf(client.DELETE('/v1/owner/connections/{connection_id}/schedule', { params }))
              }
            >
              It then collects only when you say so. What was collected stays.
            </Revoke>
          </p>
        )}
      </div>
    </Panel>
  )
}

function NextTimes({ timing }: { timing: Timing }) {
  const hub = useHub()
  const preview = useQuery({ ...previewQuery(hub, timing), retry: false })
  if (preview.error) return <Fault error={preview.error} />
  return (
    <p className="small soft num">
      {timing.cron === undefined ? 'If set now: ' : 'Next times: '}
      {preview.data?.times.map((at) => at.slice(0, 16).replace('T', ' ')).join(' · ') ?? '…'}
      {preview.data && ' UTC'}
    </p>
  )
}

function ScheduleForm({ connection: { connection_id, schedule } }: { connection: Connection }) {
  const { client } = useHub()
  const [kind, setKind] = useState<'interval' | 'cron'>(schedule?.cron == null ? 'interval' : 'cron')
  const [count, setCount] = useState(String((schedule?.interval_seconds ?? 3_600) / 60))
  const [unit, setUnit] = useState<keyof typeof UNITS>('minutes')
  const [cron, setCron] = useState(schedule?.cron ?? '0 3 * * *')
  const [timezone, setZone] = useState(schedule?.cron == null ? ZONE : schedule.timezone)
  const timing: Timing =
    kind === 'cron'
      ? { cron: cron.trim().replace(/\s+/g, ' '), timezone }
      : { interval_seconds: Math.round(Number(count) * UNITS[unit]), timezone: 'UTC' }
  const set = useAct(
    () =>
      answerOf(
        client.PUT('/v1/owner/connections/{connection_id}/schedule', {
          params: { path: { connection_id } },
          body: timing,
        }),
      ),
    SHOWN_BY,
  )
  const submit = (event: FormEvent) => {
    event.preventDefault()
    set.mutate()
  }
  return (
    <Panel title={schedule === null ? 'Set a schedule' : 'Change it'}>
      <form className="source settings-form" onSubmit={submit}>
        <span className="choice" role="group" aria-label="Kind of schedule">
          <button type="button" aria-pressed={kind === 'interval'} onClick={() => setKind('interval')}>
            Every so often
          </button>
          <button type="button" aria-pressed={kind === 'cron'} onClick={() => setKind('cron')}>
            At times
          </button>
        </span>
        {kind === 'interval' ? (
          <p className="inline-fields">
            <label>
              Every{' '}
              <input
                type="number"
                min="1"
                step="any"
                required
                value={count}
                onChange={({ target }) => setCount(target.value)}
              />
            </label>
            <select
              aria-label="Unit"
              value={unit}
              onChange={({ target }) => setUnit(target.value as keyof typeof UNITS)}
            >
              {Object.keys(UNITS).map((one) => (
                <option key={one}>{one}</option>
              ))}
            </select>
          </p>
        ) : (
          <p className="inline-fields">
            <label>
              Cron line{' '}
              <input
                className="mono"
                required
                maxLength={120}
                value={cron}
                onChange={({ target }) => setCron(target.value)}
              />
            </label>
            <label>
              Time zone{' '}
              <input
                required
                maxLength={64}
                value={timezone}
                onChange={({ target }) => setZone(target.value)}
              />
            </label>
            <small className="soft">minute, hour, day, month, weekday</small>
          </p>
        )}
        <NextTimes timing={timing} />
        {set.error && <Fault error={set.error} />}
        <button type="submit" className="button main" disabled={set.isPending}>
          {schedule === null ? 'Set it' : 'Change it'}
        </button>
      </form>
    </Panel>
  )
}
