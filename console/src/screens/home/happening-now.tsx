import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useHub } from '../../api/hub'
import { connectionsQuery, executionsQuery, recordsQuery } from '../../api/queries'
import { liveRunsQuery } from '../../api/source-queries'
import { useNow } from '../../live/now'
import type { AuditRecord } from '../../parts/bars'
import { Meter } from '../../parts/meter'
import { useLabels } from '../../parts/named'
import { Panel } from '../../parts/panel'
import { callerWords, deedOf } from '../../parts/record-words'
import { Ago } from '../../parts/time'
import { Name } from '../../parts/words'

const LATELY_MS = 15 * 60_000
const RECORDS_READ = 200

/** Who acts: callers of the last minutes, sources that collect, engines that run. */
export function HappeningNow() {
  const hub = useHub()
  const now = useNow()
  const labels = useLabels()
  const records =
    useQuery(recordsQuery(hub, { hide_own_reads: true, limit: RECORDS_READ })).data?.records ?? []
  const runs = useQuery(liveRunsQuery(hub)).data?.data ?? []
  const names = useQuery(connectionsQuery(hub)).data?.data ?? []
  const executions = (useQuery(executionsQuery(hub)).data?.executions ?? []).filter(({ state }) =>
    ['planned', 'running'].includes(state),
  )
  const callers = lastOfEach(records.filter(({ at }) => now - Date.parse(at) < LATELY_MS))
  const isQuiet = callers.length + runs.length + executions.length === 0
  return (
    <Panel title="Happening now" note="the last 15 minutes">
      {isQuiet && <p className="empty">Nobody acts right now.</p>}
      <ul className="rows">
        {callers.map(({ record, calls }) => (
          <li key={record.caller_id} className="now-row">
            <div>
              <b>
                <Name text={callerWords(record, labels)} />
              </b>{' '}
              <span className="soft">over {record.surface}</span>
              <p className="small soft">
                last <code>{deedOf(record, labels).what}</code> <Ago at={record.at} suffix=" ago" />
              </p>
            </div>
            <Link to="/activity" search={(search) => ({ ...search, called_by: record.caller_id })}>
              {calls} {calls === 1 ? 'call' : 'calls'}
            </Link>
          </li>
        ))}
        {runs.map(
          ({ run_id, connection_id, status, progress: { records: got, total, records_per_second } }) => (
            <li key={run_id} className="now-row">
              <div>
                <b>
                  <Name
                    text={
                      names.find((one) => one.connection_id === connection_id)?.display_name ?? connection_id
                    }
                  />
                </b>{' '}
                <span className="soft">
                  {status}, {Math.round(records_per_second)}/s
                </span>
                <p className="small soft num">
                  {got}
                  {total !== null && ` of ${total}`} records
                </p>
              </div>
              {total !== null && (
                <Meter left={got / Math.max(1, total)} label={`${got} of ${total}`} tone="live" />
              )}
            </li>
          ),
        )}
        {executions.map(({ run_id, engine, execution_id, state, submitted_at }) => (
          <li key={run_id} className="now-row">
            <div>
              <b>
                <Name text={engine} />
              </b>{' '}
              <span className="soft">engine, {state}</span>
              <p className="small soft">
                <Name text={execution_id} />, <Ago at={submitted_at} suffix=" ago" />
              </p>
            </div>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

const CALLERS_SHOWN = 6

function lastOfEach(records: readonly AuditRecord[]) {
  const found = new Map<string, { record: AuditRecord; calls: number }>()
  for (const record of records) {
    if (record.caller_kind === 'owner_session' || record.caller_kind === 'anonymous') continue
    const known = found.get(record.caller_id)
    if (known) known.calls += record.repeats
    else found.set(record.caller_id, { record, calls: record.repeats })
  }
  return [...found.values()].slice(0, CALLERS_SHOWN)
}
