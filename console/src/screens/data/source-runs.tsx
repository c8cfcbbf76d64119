import { useQuery } from '@tanstack/react-query'
import { historyQuery } from '../../api/data-queries'
import { useHub } from '../../api/hub'
import type { Connection } from '../../api/shapes'
import { liveRunsQuery } from '../../api/source-queries'
import { Answer, Panel } from '../../parts/panel'
import { Status } from '../../parts/status'
import { Ago, spanWords } from '../../parts/time'
import { Name } from '../../parts/words'
import { RunBars } from './run-bars'
import { CancelRun, isLive, RunProgress } from './run-progress'
import { RUN } from './source-states'

/** The runs of one source, the newest first; what runs now moves in place. */
export function SourceRuns({ connection: { connection_id } }: { connection: Connection }) {
  const hub = useHub()
  const history = useQuery(historyQuery(hub, connection_id))
  const live = useQuery(liveRunsQuery(hub)).data?.data ?? []
  return (
    <Panel title="Runs" note="the newest first">
      <Answer of={history} empty={({ data }) => data.length === 0 && 'It has not run yet.'}>
        {({ data, next_cursor }) => (
          <>
            <RunBars runs={data} />
            <ul className="rows">
              {data.map((kept) => {
                const run = live.find(({ run_id }) => run_id === kept.run_id) ?? kept
                const { run_id, status, started_at, queued_at, ended_at, fault, cause } = run
                return (
                  <li key={run_id} className="row run-row">
                    <Status state={RUN[status] ?? 'off'}>{status}</Status>
                    <div>
                      <RunProgress run={run} />
                      <p className="small soft">
                        {cause === 'owner' ? 'asked for' : `by its ${cause}`}
                        {started_at !== null && ended_at !== null && (
                          <> · took {spanWords(Date.parse(ended_at) - Date.parse(started_at))}</>
                        )}
                        {fault !== null && (
                          <>
                            {' '}
                            · <code>{fault.code}</code> <Name text={fault.message} />
                          </>
                        )}
                      </p>
                    </div>
                    <span className="faint">
                      <Ago at={ended_at ?? started_at ?? queued_at} suffix=" ago" />
                    </span>
                    {isLive(run) && status !== 'cancelling' ? <CancelRun run_id={run_id} /> : <span />}
                  </li>
                )
              })}
            </ul>
            {next_cursor !== null && (
              <p className="empty">
                Older ones: <code>knowtation owner run list {connection_id}</code>
              </p>
            )}
          </>
        )}
      </Answer>
    </Panel>
  )
}
