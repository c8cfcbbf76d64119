import './data.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { diagnosticsQuery } from '../../api/data-queries'
import { useHub } from '../../api/hub'
import { connectionQuery } from '../../api/source-queries'
import { Id } from '../../parts/id'
import { Fault } from '../../parts/panel'
import { Status } from '../../parts/status'
import { Tabs } from '../../parts/tabs'
import { Name } from '../../parts/words'
import { SOURCE_VIEWS } from '../../router'
import { SourceActs } from './source-acts'
import { SourceRecords } from './source-records'
import { SourceRuns } from './source-runs'
import { SourceSchedule } from './source-schedule'
import { Health } from './sources'

const NAMES = { runs: 'Runs', records: 'Records', schedule: 'Schedule' } as const
const SHOWN = { runs: SourceRuns, records: SourceRecords, schedule: SourceSchedule } as const

/** One source: how it fares, what it has collected, when it collects, and what can be done with it. */
export function SourcePage() {
  const { connection_id } = useParams({ from: '/data/sources/$connection_id' })
  const { view = 'runs' } = useSearch({ from: '/data/sources/$connection_id' })
  const hub = useHub()
  const asked = useQuery(connectionQuery(hub, connection_id))
  const Shown = SHOWN[view]
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <p className="small">
            <Link to="/data" search={({ vault }) => ({ ...(vault && { vault }) })}>
              Sources
            </Link>
          </p>
          <h1>
            <Name text={asked.data?.display_name ?? 'A source'} />
          </h1>
          <p className="lead">
            {asked.data?.connector_key} · <Id id={connection_id} />
          </p>
        </div>
        {asked.data?.status === 'revoked' ? (
          <Status state="off">revoked</Status>
        ) : (
          asked.data && <Health connection_id={connection_id} />
        )}
      </header>
      {asked.error && <Fault error={asked.error} retry={() => void asked.refetch()} />}
      {asked.data && (
        <>
          <Verdict connection_id={connection_id} />
          <SourceActs connection={asked.data} />
          <Tabs label="Parts of this source">
            {SOURCE_VIEWS.map((one, place) => (
              <Link
                key={one}
                to="/data/sources/$connection_id"
                params={{ connection_id }}
                search={({ vault }) => ({ ...(vault && { vault }), ...(place > 0 && { view: one }) })}
                className={one === view ? 'is-here' : ''}
                aria-current={one === view ? 'page' : undefined}
              >
                {NAMES[one]}
              </Link>
            ))}
            <Link
              to="/data"
              search={({ vault }) => ({
                ...(vault && { vault }),
                tab: 'subscriptions' as const,
                item: connection_id,
              })}
            >
              Subscriptions
            </Link>
          </Tabs>
          <Shown connection={asked.data} />
        </>
      )}
    </div>
  )
}

function Verdict({ connection_id }: { connection_id: string }) {
  const hub = useHub()
  const asked = useQuery(diagnosticsQuery(hub, connection_id))
  if (!asked.data) return null
  const { rendered_verdict, last_run, recovery } = asked.data
  return (
    <p className="soft verdict">
      <Name text={rendered_verdict} />
      {last_run?.error && (
        <>
          {' '}
          <code>{last_run.error.code}</code> <Name text={last_run.error.message} />
        </>
      )}
      {recovery?.owner_required && ' Only you can mend it.'}
    </p>
  )
}
