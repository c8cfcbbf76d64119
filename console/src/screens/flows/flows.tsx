import './flows.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useHub } from '../../api/hub'
import { flowsQuery, grantsQuery, proposalsQuery } from '../../api/queries'
import { useNow } from '../../live/now'
import { Answer, Panel } from '../../parts/panel'
import { Foreign } from '../../parts/words'

/** What do we let agents follow? */
export function Flows() {
  const hub = useHub()
  const flows = useQuery(flowsQuery(hub))
  const grants = useQuery(grantsQuery(hub)).data?.grants ?? []
  const open = useQuery(proposalsQuery(hub, 'proposed')).data?.proposals ?? []
  const now = useNow()
  const liveOf = (flow_id: string) =>
    grants.filter(
      (grant) => grant.flow_id === flow_id && grant.revoked_at === null && Date.parse(grant.expires_at) > now,
    ).length
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>Flows</h1>
          <p className="lead">
            Procedures that somebody approved. Agents read them; nobody changes one without a review.
          </p>
        </div>
      </header>
      <Panel title="Library" note={flows.data && `${flows.data.flows.length} flows`}>
        <Answer
          of={flows}
          rows={6}
          empty={({ flows: list }) =>
            list.length === 0 && 'No flow yet. `knowtation flow import FILE` proposes one.'
          }
        >
          {({ flows: list, truncated }) => (
            <>
              <ul className="rows">
                {list.map(({ flow_id, title, version, scope, summary, step_count }) => {
                  const [live, waits] = [
                    liveOf(flow_id),
                    open.filter((one) => one.flow_id === flow_id).length,
                  ]
                  return (
                    <li key={flow_id} className="row flow-row">
                      <div>
                        <b>
                          <Link
                            to="/flows/$flow_id"
                            params={{ flow_id }}
                            search={({ vault }) => ({ ...(vault && { vault }) })}
                          >
                            <Foreign text={title} />
                          </Link>
                        </b>
                        <p className="small soft clamp">
                          <Foreign text={summary} />
                        </p>
                      </div>
                      <code className="small">{flow_id}</code>
                      <span className="num">{version}</span>
                      <span className="soft">
                        {scope}, {step_count} steps
                      </span>
                      <span>
                        {live > 0 && `${live} live ${live === 1 ? 'grant' : 'grants'}`}
                        {live > 0 && waits > 0 && ' · '}
                        {waits > 0 && <b className="tone-wait">{waits} to review</b>}
                      </span>
                    </li>
                  )
                })}
              </ul>
              {truncated && <p className="empty">There are more than are shown here.</p>}
            </>
          )}
        </Answer>
      </Panel>
    </div>
  )
}
