import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import { doctorQuery, grantsQuery } from '../../api/queries'
import type { components } from '../../api/schema'
import { useNow } from '../../live/now'
import { Id } from '../../parts/id'
import { Meter } from '../../parts/meter'
import { Answer, Panel } from '../../parts/panel'
import { Revoke } from '../../parts/revoke'
import { Status } from '../../parts/status'
import { Ago, Left } from '../../parts/time'

type Grant = components['schemas']['FlowExternalGrant']
const GATE = 'FLOW_EXTERNAL_AGENT_ENABLED'
const ENDED_SHOWN = 20

/** The grants of external agents, those that end first on top. */
export function Grants() {
  const hub = useHub()
  const now = useNow()
  const gate = useQuery(doctorQuery(hub)).data?.findings.find(({ subject }) => subject === GATE)
  const isOff = gate?.state === 'off'
  const grants = useQuery({ ...grantsQuery(hub), enabled: gate !== undefined && !isOff })
  if (isOff)
    return (
      <Panel title="Grants">
        <p className="empty">
          The gate for external agents is closed: no grant opens anything. {gate.fix ?? gate.detail}
        </p>
      </Panel>
    )
  const isLive = ({ revoked_at, expires_at }: Grant) => revoked_at === null && Date.parse(expires_at) > now
  const all = grants.data?.grants ?? []
  const live = all.filter(isLive).toSorted((one, other) => one.expires_at.localeCompare(other.expires_at))
  const ended = all.filter((grant) => !isLive(grant)).slice(0, ENDED_SHOWN)
  return (
    <>
      <Panel title="Live grants" note={grants.data && `${live.length}, those that end first on top`}>
        <Answer
          of={grants}
          empty={() => live.length === 0 && 'No grant is live: no external agent can call a tool.'}
        >
          {() => (
            <ul className="rows">
              {live.map((grant) => (
                <GrantRow key={grant.grant_id} grant={grant} />
              ))}
            </ul>
          )}
        </Answer>
      </Panel>
      {ended.length > 0 && (
        <Panel title="Ended lately">
          <ul className="rows">
            {ended.map((grant) => (
              <li key={grant.grant_id} className="row ended-row soft">
                <span>
                  {grant.flow_id} {grant.flow_version}
                </span>
                <span>
                  {grant.revoked_at !== null ? 'revoked ' : 'expired '}
                  <Ago at={grant.revoked_at ?? grant.expires_at} suffix=" ago" />
                </span>
                <span className="num">{grant.invocation_count} used</span>
                <Id id={grant.grant_id} />
              </li>
            ))}
          </ul>
        </Panel>
      )}
    </>
  )
}

function GrantRow({ grant }: { grant: Grant }) {
  const { client } = useHub()
  const { grant_id, flow_id, flow_version, allowed_tools, expires_at } = grant
  const { invocation_count: used, max_invocations: most } = grant
  return (
    <li className="row grant-row">
      <div>
        <b>
          <Link
            to="/flows/$flow_id"
            params={{ flow_id }}
            search={({ vault }) => ({ ...(vault && { vault }), version: flow_version })}
          >
            {flow_id} {flow_version}
          </Link>
        </b>
        <p className="small">
          <Id id={grant_id} />
        </p>
      </div>
      <span className="tools">
        {allowed_tools.map((tool) => (
          <code key={tool} className="chip">
            {tool}
          </code>
        ))}
        {allowed_tools.length === 0 && <span className="faint">no tools</span>}
      </span>
      <Left until={expires_at} />
      <span>
        <Meter left={most === 0 ? 1 : 1 - used / most} label={`${used} of ${most || 'unlimited'} used`} />{' '}
        <span className="small soft num">
          {used} of {most || 'unlimited'}
        </span>
        {most > 0 && used >= most && <Status state="closed">used up</Status>}
      </span>
      <span className="acts">
        <Link
          to="/activity"
          search={({ vault }) => ({ ...(vault && { vault }), grant: grant_id })}
          className="button"
        >
          Calls
        </Link>
        <Revoke
          word="Revoke"
          title={`Revoke this grant of ${flow_id} ${flow_version}?`}
          yes="Revoke it"
          shownBy="flow_external_grant_list"
          act={() =>
            answerOf(
              client.DELETE('/api/v1/flows/external-grants/{grant_id}', { params: { path: { grant_id } } }),
            )
          }
        >
          From the next call on it opens nothing, for good. Calls that wait for your word under it end, too.
        </Revoke>
      </span>
    </li>
  )
}
