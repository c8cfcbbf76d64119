import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { diagnosticsQuery, historyQuery } from '../../api/data-queries'
import { useHub } from '../../api/hub'
import { connectionsQuery } from '../../api/queries'
import type { Connection } from '../../api/shapes'
import { devicesQuery, intentsQuery, liveRunsQuery } from '../../api/source-queries'
import { Answer, Fault, Panel } from '../../parts/panel'
import { Status } from '../../parts/status'
import { Ago, Left } from '../../parts/time'
import { Name } from '../../parts/words'
import { CancelRun, RunProgress } from './run-progress'
import { beginnerWords, HEALTH, RUN, timingWords } from './source-states'

const RUNS_IN_STRIP = 14

/** Is my data coming in? What collects now, what waits for the owner, and each source with its last runs. */
export function Sources() {
  const hub = useHub()
  const connections = useQuery(connectionsQuery(hub))
  return (
    <>
      <Waiting />
      <Collecting />
      <Panel
        title="Sources"
        aside={
          <Link className="button" to="/data/connect" search={({ vault }) => ({ ...(vault && { vault }) })}>
            Connect a source…
          </Link>
        }
      >
        <Answer
          of={connections}
          empty={({ data }) =>
            data.length === 0 && 'Nothing is connected yet. A feed is the quickest to begin with.'
          }
        >
          {({ data, next_cursor }) => (
            <>
              <ul className="rows">
                {data.map((one) => (
                  <SourceRow key={one.connection_id} connection={one} />
                ))}
              </ul>
              {next_cursor !== null && (
                <p className="empty">
                  More of them: <code>knowtation owner connection list --cursor {next_cursor}</code>
                </p>
              )}
            </>
          )}
        </Answer>
      </Panel>
      <Machines />
    </>
  )
}

export function SourceLink({ connection_id, name }: { connection_id: string; name: string }) {
  return (
    <Link
      to="/data/sources/$connection_id"
      params={{ connection_id }}
      search={({ vault }) => ({ ...(vault && { vault }) })}
    >
      <Name text={name} />
    </Link>
  )
}

function SourceRow({ connection }: { connection: Connection }) {
  const { connection_id, display_name, connector_key, status, schedule } = connection
  return (
    <li className="row source-row">
      <div>
        <b>
          <SourceLink connection_id={connection_id} name={display_name} />
        </b>
        <p className="small soft">
          {connector_key} · {schedule === null && 'no schedule'}
          {schedule !== null && (schedule.enabled ? timingWords(schedule) : 'schedule paused')}
        </p>
      </div>
      <Strip connection_id={connection_id} />
      {status === 'revoked' ? <Status state="off">revoked</Status> : <Health connection_id={connection_id} />}
    </li>
  )
}

/** The last runs, the newest on the right: how each ended, by height and sign. */
function Strip({ connection_id }: { connection_id: string }) {
  const hub = useHub()
  const runs = useQuery(historyQuery(hub, connection_id)).data?.data.slice(0, RUNS_IN_STRIP) ?? []
  const bad = runs.filter(({ status }) => status === 'failed').length
  if (runs.length === 0) return <span className="strip-of-runs" />
  return (
    <svg
      className="strip-of-runs"
      viewBox={`0 0 ${RUNS_IN_STRIP * 8} 18`}
      role="img"
      aria-label={`The last ${runs.length} runs, ${bad} of them failed`}
    >
      {runs.toReversed().map(({ run_id, status }, place) => {
        const x = (RUNS_IN_STRIP - runs.length + place) * 8
        return status === 'failed' ? (
          <g key={run_id}>
            <rect className="bar-fail" x={x} width="6" y="11" height="7" />
            <path className="bar-cross-fail" d={`M${x + 1} 3l4 4m0 -4l-4 4`} />
          </g>
        ) : (
          <rect
            key={run_id}
            className={status === 'succeeded' ? 'bar-good' : 'bar-plain'}
            x={x}
            width="6"
            y={status === 'succeeded' ? 3 : 11}
            height={status === 'succeeded' ? 15 : 7}
          />
        )
      })}
    </svg>
  )
}

export function Health({ connection_id }: { connection_id: string }) {
  const hub = useHub()
  const asked = useQuery(diagnosticsQuery(hub, connection_id))
  if (asked.error) return <Fault error={asked.error} />
  if (!asked.data) return <span className="faint">…</span>
  const { health, freshness } = asked.data
  return (
    <span className="health">
      <Status state={HEALTH[health] ?? 'off'}>{health.replaceAll('_', ' ')}</Status>{' '}
      <span className="small soft">
        {freshness.last_success_at === null ? (
          'never collected'
        ) : (
          <>
            collected <Ago at={freshness.last_success_at} suffix=" ago" />
          </>
        )}
      </span>
    </span>
  )
}

/** Nothing where nothing is begun: the way to begin is on the list below. */
function Waiting() {
  const hub = useHub()
  const asked = useQuery(intentsQuery(hub))
  const open = asked.data?.data.filter(({ state }) => state === 'open') ?? []
  if (asked.error) return <Fault error={asked.error} />
  if (open.length === 0) return null
  return (
    <Panel title="Waiting for you" note="connections that were begun and need a step that only you can take">
      <ul className="rows">
        {open.map(({ intent_id, display_name, connector_name, created_by, expires_at }) => (
          <li key={intent_id} className="on-row">
            <div>
              <b>
                <Name text={display_name ?? connector_name} />
              </b>{' '}
              <span className="soft">
                {connector_name}, begun by <Name text={beginnerWords(created_by)} />
              </span>
            </div>
            <span className="small faint">
              <Left until={expires_at} /> left
            </span>
            <Link
              className="button"
              to="/data/connect/$intent_id"
              params={{ intent_id }}
              search={({ vault }) => ({ ...(vault && { vault }) })}
            >
              Go on
              <span className="unseen">
                with <Name text={display_name ?? connector_name} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Collecting() {
  const hub = useHub()
  const runs = useQuery(liveRunsQuery(hub))
  const names = useQuery(connectionsQuery(hub)).data?.data ?? []
  if (runs.error) return <Fault error={runs.error} />
  if (!runs.data || runs.data.data.length === 0) return null
  return (
    <Panel title="Collecting now">
      <ul className="rows">
        {runs.data.data.map((run) => (
          <li key={run.run_id} className="row run-row">
            <Status state={RUN[run.status] ?? 'off'}>{run.status}</Status>
            <div>
              <b>
                <SourceLink
                  connection_id={run.connection_id}
                  name={
                    names.find(({ connection_id }) => connection_id === run.connection_id)?.display_name ??
                    run.connection_id
                  }
                />
              </b>
              <p className="small soft">
                <RunProgress run={run} />
              </p>
            </div>
            <span className="faint">
              since <Ago at={run.started_at ?? run.queued_at} />
            </span>
            {run.status !== 'cancelling' && <CancelRun run_id={run.run_id} />}
          </li>
        ))}
      </ul>
    </Panel>
  )
}

/** Machines with a local collector; most hubs have none. */
function Machines() {
  const hub = useHub()
  const devices = useQuery(devicesQuery(hub))
  if (devices.error) return <Fault error={devices.error} />
  if (!devices.data || devices.data.data.length === 0) return null
  return (
    <Panel title="Machines" note="that run a local collector">
      <ul className="rows">
        {devices.data.data.map(({ device_id, device_name, enrolled_at, connection_id }) => (
          <li key={device_id} className="on-row">
            <b>
              <Name text={device_name} />
            </b>
            <span className="soft">
              {connection_id === null ? (
                'bound to no source any more'
              ) : (
                <SourceLink connection_id={connection_id} name="its source" />
              )}
            </span>
            <span className="faint">
              enrolled <Ago at={enrolled_at} suffix=" ago" />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
