import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useHub } from '../../api/hub'
import { doctorQuery, grantsQuery, histogramQuery, locksQuery, recordsQuery } from '../../api/queries'
import { useNow } from '../../live/now'
import { useNeeds } from '../../needs/use-needs'
import { CallBars } from '../../parts/bars'
import { Icon } from '../../parts/icon'
import { Meter } from '../../parts/meter'
import { useLabels } from '../../parts/named'
import { Answer, Panel } from '../../parts/panel'
import { callerWords, deedOf, isToolCall, meaningOf } from '../../parts/record-words'
import { Ago, Left } from '../../parts/time'
import { Name } from '../../parts/words'
import { FirstSteps } from './first-steps'
import { HappeningNow } from './happening-now'
import { NeedsYou } from './needs-you'
import { WhatIsOn } from './what-is-on'

const REFUSALS_SHOWN = 5
const GRANTS_SHOWN = 5
const GATE = 'FLOW_EXTERNAL_AGENT_ENABLED'

/** Does anything need me? The title is the answer. */
export function Home() {
  const hub = useHub()
  const needs = useNeeds()
  const histogram = useQuery(histogramQuery(hub))
  return (
    <div className="page home">
      <header className="page-head">
        <div>
          <h1>{titleOf(needs.items.length, needs.isComplete)}</h1>
          <Summary />
        </div>
        {histogram.data && (
          <div className="head-chart">
            <CallBars bars={histogram.data.bars} label="Calls of the last hour, by minute" />
            <p className="tiny faint">
              <span>1 h ago</span>
              <span>
                <i className="key ok" /> allowed <b className="tone-no">×</b> refused or failed
              </span>
              <span>now</span>
            </p>
          </div>
        )}
      </header>
      <div className="columns">
        <div>
          <FirstSteps />
          <NeedsYou needs={needs} />
          <RefusedLately />
          <EndingNext />
        </div>
        <div>
          <HappeningNow />
          <WhatIsOn />
        </div>
      </div>
    </div>
  )
}

function titleOf(count: number, isComplete: boolean): string {
  if (count === 0) return isComplete ? 'Nothing needs you' : 'Looking…'
  return count === 1 ? '1 thing needs you' : `${count} things need you`
}

function Summary() {
  const hub = useHub()
  const { data } = useQuery(histogramQuery(hub))
  const locks = useQuery(locksQuery(hub)).data?.locks
  if (!data) return null
  const { allowed, denied, failed } = data.total
  const calls = allowed + denied + failed
  return (
    <p className="lead">
      {data.callers} {data.callers === 1 ? 'caller' : 'callers'} and {calls} {calls === 1 ? 'call' : 'calls'}{' '}
      in the last hour, {denied} of them refused{failed > 0 && `, ${failed} failed`}.{' '}
      {locks !== undefined && (locks.length === 0 ? 'Nothing is stopped.' : `${locks.length} stopped.`)}
    </p>
  )
}

function RefusedLately() {
  const hub = useHub()
  const labels = useLabels()
  const refusals = useQuery(recordsQuery(hub, { outcome: 'denied', limit: REFUSALS_SHOWN }))
  return (
    <Panel
      title="Refused lately"
      aside={
        <Link to="/activity" search={(now) => ({ ...now, outcome: 'denied' })}>
          All refusals
        </Link>
      }
    >
      <Answer
        of={refusals}
        empty={({ records }) => records.length === 0 && 'Nothing was refused, as far as the log goes.'}
      >
        {({ records }) => (
          <ul className="rows">
            {records.map((record) => {
              const { what, on } = deedOf(record, labels)
              return (
                <li key={record.seq} className="row refusal">
                  <span className="faint">
                    <Ago at={record.at} />
                  </span>
                  <Icon name="refused" className="tone-no" />
                  <span>
                    <b>
                      <Name text={callerWords(record, labels)} />
                    </b>{' '}
                    <code>
                      <Name text={what} />
                    </code>{' '}
                    {on !== null && <Name text={on} />}
                    {record.repeats > 1 && <span className="chip">×{record.repeats}</span>}
                  </span>
                  <span className="soft">{meaningOf(record.code)}</span>
                  <Link
                    to="/activity"
                    search={(now) => ({
                      ...now,
                      record: record.seq,
                      ...(isToolCall(record) && { why: true }),
                    })}
                    aria-label={`Why was record ${record.seq} refused?`}
                  >
                    Why
                  </Link>
                </li>
              )
            })}
          </ul>
        )}
      </Answer>
    </Panel>
  )
}

function EndingNext() {
  const hub = useHub()
  const labels = useLabels()
  const findings = useQuery(doctorQuery(hub)).data?.findings
  const isOff = findings?.some(({ subject, state }) => subject === GATE && state === 'off') ?? false
  // While the gate is closed the hub tells of no grants, and none of them opens anything.
  const grants = useQuery({ ...grantsQuery(hub), enabled: findings !== undefined && !isOff })
  const now = useNow()
  if (isOff)
    return (
      <Panel title="Grants that end next">
        <p className="empty">The gate for external agents is closed: no grant opens anything.</p>
      </Panel>
    )
  const live = (grants.data?.grants ?? [])
    .filter(({ revoked_at, expires_at }) => revoked_at === null && Date.parse(expires_at) > now)
    .toSorted((one, other) => Date.parse(one.expires_at) - Date.parse(other.expires_at))
  return (
    <Panel title="Grants that end next" note={grants.data && `${live.length} live`}>
      <Answer
        of={grants}
        empty={() => live.length === 0 && 'No grant is live: no external agent can call a tool.'}
      >
        {() => (
          <ul className="rows">
            {live.slice(0, GRANTS_SHOWN).map((grant) => (
              <li key={grant.grant_id} className="row grant">
                <Link to="/activity" search={(search) => ({ ...search, grant: grant.grant_id })}>
                  {labels[grant.grant_id] === undefined ? (
                    <>
                      {grant.flow_id} <b>{grant.flow_version}</b>
                    </>
                  ) : (
                    <Name text={labels[grant.grant_id] as string} />
                  )}
                </Link>
                <Left until={grant.expires_at} />
                <Meter
                  left={usesLeft(grant)}
                  label={`${grant.invocation_count} of ${grant.max_invocations || 'unlimited'} used`}
                />
                <span className="soft num">
                  {grant.invocation_count} of {grant.max_invocations || 'unlimited'} used
                </span>
              </li>
            ))}
          </ul>
        )}
      </Answer>
    </Panel>
  )
}

function usesLeft(grant: { max_invocations: number; invocation_count: number }): number {
  return grant.max_invocations === 0 ? 1 : 1 - grant.invocation_count / grant.max_invocations
}
