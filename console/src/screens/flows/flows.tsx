import './flows.css'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { flowToolsQuery } from '../../api/flow-queries'
import { useHub } from '../../api/hub'
import { policyQuery } from '../../api/policy-queries'
import { flowsQuery, grantsQuery, proposalsQuery } from '../../api/queries'
import type { components } from '../../api/schema'
import { useNow } from '../../live/now'
import { Answer, Panel } from '../../parts/panel'
import { Foreign } from '../../parts/words'

const TOOLS_SHOWN = 3

/** What do we let agents follow? */
export function Flows() {
  const hub = useHub()
  const flows = useQuery(flowsQuery(hub))
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>Flows</h1>
          <p className="lead">
            Procedures that somebody approved. Agents read them; nobody changes one without a review.
          </p>
        </div>
        <ProposeFlow />
      </header>
      <Panel title="Library" note={flows.data && `${flows.data.flows.length} flows`}>
        <Answer of={flows} rows={6}>
          {({ flows: list, truncated }) =>
            list.length === 0 ? (
              <NoFlow />
            ) : (
              <>
                <Library list={list} />
                {truncated && <p className="empty">There are more than are shown here.</p>}
              </>
            )
          }
        </Answer>
      </Panel>
    </div>
  )
}

function ProposeFlow() {
  return (
    <Link
      to="/flows/new"
      search={({ vault }) => ({ ...(vault && { vault }) })}
      className="button main wide-only"
    >
      Propose a flow…
    </Link>
  )
}

/** A vault that has none begins with the starter flows, unless they were taken out of the program's folder. */
function NoFlow() {
  return (
    <div className="empty">
      <p>No flow yet. Write one or take one from a file: whatever comes in waits for your review.</p>
      <p className="acts">
        <ProposeFlow />
      </p>
      <p className="small">
        The starter flows come with the hub, in its folder <code>flows/starter</code>; a vault that is new
        begins with them.
      </p>
    </div>
  )
}

function Library({ list }: { list: readonly components['schemas']['FlowSummary'][] }) {
  const hub = useHub()
  const now = useNow()
  const grants = useQuery(grantsQuery(hub)).data?.grants
  const open = useQuery(proposalsQuery(hub, 'proposed')).data?.proposals
  const tools = useQuery(flowToolsQuery(hub)).data?.flows
  const listed = useQuery(policyQuery(hub)).data?.tools.map(({ id }) => id)
  const liveOf = (flow_id: string) =>
    grants?.filter(
      (grant) => grant.flow_id === flow_id && grant.revoked_at === null && Date.parse(grant.expires_at) > now,
    ).length ?? 0
  return (
    <ul className="rows">
      {list.map(({ flow_id, title, version, scope, summary, step_count }) => {
        const [live, waits] = [liveOf(flow_id), open?.filter((one) => one.flow_id === flow_id).length ?? 0]
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
              <p className="small soft one-line">
                <code className="faint">{flow_id}</code> <Foreign text={summary} />
              </p>
            </div>
            <span>
              <b className="num">{version}</b>
              <p className="small soft">
                {scope}, {step_count} {step_count === 1 ? 'step' : 'steps'}
              </p>
            </span>
            <ToolChips tools={tools?.find((one) => one.flow_id === flow_id)?.tools} listed={listed} />
            <span>
              {live > 0 && (
                <Link to="/agents" search={({ vault }) => ({ ...(vault && { vault }) })}>
                  {live} live {live === 1 ? 'grant' : 'grants'}
                </Link>
              )}
              {live > 0 && waits > 0 && ' · '}
              {waits > 0 && (
                <Link to="/inbox" search={({ vault }) => ({ ...(vault && { vault }) })} className="tone-wait">
                  <b>{waits} to review</b>
                </Link>
              )}
            </span>
          </li>
        )
      })}
    </ul>
  )
}

/** Tools outside the hub that a flow names; one that is not on the allowlist can be in no grant. */
function ToolChips(props: { tools: readonly string[] | undefined; listed: readonly string[] | undefined }) {
  const { tools, listed } = props
  if (tools === undefined) return <span />
  if (tools.length === 0) return <span className="faint">no tool outside</span>
  const rest = tools.length - TOOLS_SHOWN
  return (
    <span className="tools">
      {tools.slice(0, TOOLS_SHOWN).map((tool) => {
        const isMissing = listed !== undefined && !listed.includes(tool)
        return (
          <span key={tool} className={`chip ${isMissing ? 'tone-no' : ''}`}>
            <code>
              <Foreign text={tool} />
            </code>
            {isMissing && ' not listed'}
          </span>
        )
      })}
      {rest > 0 && <span className="faint">and {rest} more</span>}
    </span>
  )
}
