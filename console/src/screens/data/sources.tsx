import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { answerOf } from '../../api/client'
import { diagnosticsQuery, historyQuery, streamsQuery } from '../../api/data-queries'
import { useHub } from '../../api/hub'
import { connectionsQuery } from '../../api/queries'
import { Id } from '../../parts/id'
import { Answer, Fault, Panel } from '../../parts/panel'
import { Revoke } from '../../parts/revoke'
import { type StateName, Status } from '../../parts/status'
import { Ago, spanWords } from '../../parts/time'
import { Name } from '../../parts/words'

const HEALTH: Readonly<Record<string, StateName>> = {
  healthy: 'intact',
  idle: 'off',
  unknown: 'off',
  degraded: 'warning',
  cooling_off: 'warning',
  needs_attention: 'waits',
  blocked: 'failed',
}
const RUN: Readonly<Record<string, StateName>> = {
  queued: 'held',
  running: 'running',
  cancelling: 'running',
  succeeded: 'allowed',
  failed: 'failed',
  cancelled: 'off',
}

/** The owner's connections; the one that is opened beneath its row. */
export function Sources({ item }: { item: string | undefined }) {
  const hub = useHub()
  const connections = useQuery(connectionsQuery(hub))
  return (
    <Panel title="Connections" aside={<a href="/owner/connections">Connect a source…</a>}>
      <Answer of={connections} empty={({ data }) => data.length === 0 && 'Nothing is connected yet.'}>
        {({ data }) => (
          <ul className="rows">
            {data.map(({ connection_id, display_name, connector_key, status }) => (
              <li key={connection_id}>
                <div className="row source-row">
                  <div>
                    <b>
                      <Link
                        to="/data"
                        search={({ vault }) => ({
                          ...(vault && { vault }),
                          ...(item !== connection_id && { item: connection_id }),
                        })}
                        aria-expanded={item === connection_id}
                      >
                        <Name text={display_name} />
                      </Link>
                    </b>{' '}
                    <span className="soft">{connector_key}</span>
                  </div>
                  {status === 'revoked' ? (
                    <Status state="off">revoked</Status>
                  ) : (
                    <Health connection_id={connection_id} />
                  )}
                </div>
                {item === connection_id && <Source connection_id={connection_id} />}
              </li>
            ))}
          </ul>
        )}
      </Answer>
    </Panel>
  )
}

function Health({ connection_id }: { connection_id: string }) {
  const hub = useHub()
  const asked = useQuery(diagnosticsQuery(hub, connection_id))
  if (asked.error) return <Fault error={asked.error} />
  if (!asked.data) return <span className="faint">…</span>
  const { health, freshness } = asked.data
  return (
    <span>
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

function Source({ connection_id }: { connection_id: string }) {
  const { client, vault } = useHub()
  const queries = useQueryClient()
  const params = { path: { connection_id } }
  const collect = useMutation({
    mutationFn: () =>
      answerOf(client.POST('/v1/owner/connections/{connection_id}/run', { params, body: {} })),
    onSettled: () => queries.invalidateQueries({ queryKey: ['owner_run_list', vault] }),
  })
  return (
    <div className="source">
      <Verdict connection_id={connection_id} />
      <p className="acts">
        <button
          type="button"
          className="button"
          disabled={collect.isPending}
          onClick={() => collect.mutate()}
        >
          Collect now
        </button>
        <Revoke
          word="Revoke"
          title="Collect from this source no longer?"
          yes="Revoke it"
          shownBy="owner_connection_list"
          act={() =>
            answerOf(client.POST('/v1/owner/connections/{connection_id}/revoke', { params, body: {} }))
          }
        >
          Its credential is not used any more. What was collected stays, and the command line can take it up
          again.
        </Revoke>
      </p>
      {collect.error && <Fault error={collect.error} />}
      <div className="columns">
        <Runs connection_id={connection_id} />
        <Streams connection_id={connection_id} />
      </div>
    </div>
  )
}

function Verdict({ connection_id }: { connection_id: string }) {
  const hub = useHub()
  const asked = useQuery(diagnosticsQuery(hub, connection_id))
  const next = asked.data?.schedule?.next_run_at
  return (
    <p className="soft">
      {asked.data && <Name text={asked.data.rendered_verdict} />} <Id id={connection_id} />
      {next && ` Next by its schedule: ${next.slice(0, 16).replace('T', ' ')} UTC.`}
    </p>
  )
}

function Runs({ connection_id }: { connection_id: string }) {
  const hub = useHub()
  const history = useQuery(historyQuery(hub, connection_id))
  return (
    <Panel title="Runs">
      <Answer of={history} empty={({ data }) => data.length === 0 && 'It has not run yet.'}>
        {({ data }) => (
          <ul className="rows">
            {data.map(({ run_id, status, queued_at, progress, fault, started_at, ended_at }) => (
              <li key={run_id} className="row run-row">
                <Status state={RUN[status] ?? 'off'}>{status}</Status>
                <span className="num">
                  {progress.records}
                  {progress.total !== null && ` of ${progress.total}`} records
                  {status === 'running' && `, ${Math.round(progress.records_per_second)}/s`}
                  {progress.seconds_left !== null && `, ${spanWords(progress.seconds_left * 1_000)} left`}
                </span>
                <span className="faint">
                  <Ago at={ended_at ?? started_at ?? queued_at} suffix=" ago" />
                </span>
                {status === 'running' || status === 'queued' ? (
                  <Revoke
                    word="Cancel"
                    title="Cancel this run?"
                    yes="Cancel the run"
                    shownBy="owner_run_list"
                    act={() =>
                      answerOf(
                        hub.client.POST('/_ref/runs/{run_id}/cancel', {
                          params: { path: { run_id } },
                          body: {},
                        }),
                      )
                    }
                  >
                    What it has collected stays; the next run goes on from there.
                  </Revoke>
                ) : (
                  <span className="small">{fault !== null && <Name text={fault.message} />}</span>
                )}
              </li>
            ))}
          </ul>
        )}
      </Answer>
    </Panel>
  )
}

function Streams({ connection_id }: { connection_id: string }) {
  const hub = useHub()
  const streams = useQuery(streamsQuery(hub, connection_id))
  return (
    <Panel title="Records">
      <Answer of={streams} empty={({ data }) => data.length === 0 && 'No record was collected yet.'}>
        {({ data }) => (
          <ul className="rows">
            {data.map(({ stream, record_count, updated_at }) => (
              <li key={stream} className="on-row">
                <b>
                  <Name text={stream} />
                </b>
                <span className="num">{record_count}</span>
                <span className="faint">
                  <Ago at={updated_at} suffix=" ago" />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Answer>
    </Panel>
  )
}
