import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import { approvalsQuery, doctorQuery, grantsQuery, recordsQuery } from '../../api/queries'
import type { components } from '../../api/schema'
import { useNow } from '../../live/now'
import type { AuditRecord } from '../../parts/bars'
import { Icon } from '../../parts/icon'
import { Id } from '../../parts/id'
import { Meter } from '../../parts/meter'
import { NameInPlace, useLabels } from '../../parts/named'
import { Answer, Panel } from '../../parts/panel'
import { callerWords } from '../../parts/record-words'
import { Revoke } from '../../parts/revoke'
import { outcomeState, Status } from '../../parts/status'
import { Ago, Left } from '../../parts/time'
import { Name } from '../../parts/words'
import { GateClosed } from './gate-closed'
import { Reach, type ToolState, useToolStates } from './reach'

export type Grant = components['schemas']['FlowExternalGrant']
const GATE = 'FLOW_EXTERNAL_AGENT_ENABLED'
const ENDED_SHOWN = 20
/** Who used a grant last is looked for among so many calls of tools. */
const CALLS_READ = 200

/** The grants of external agents, those that end first on top. */
export function Grants() {
  const hub = useHub()
  const now = useNow()
  const gate = useQuery(doctorQuery(hub)).data?.findings.find(({ subject }) => subject === GATE)
  const isOff = gate?.state === 'off'
  const grants = useQuery({ ...grantsQuery(hub), enabled: gate !== undefined && !isOff })
  const lastOf = useLastUse()
  const waiting = useQuery(approvalsQuery(hub, 'waiting')).data?.data ?? []
  if (isOff) return <GateClosed detail={gate.detail} />
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
              <li className="row grant-row grant-heads small faint" aria-hidden="true">
                {['Name and agent', 'Flow version and tools', 'Time left', 'Uses left', 'Last use', ''].map(
                  (head) => (
                    <span key={head}>{head}</span>
                  ),
                )}
              </li>
              {live.map((grant) => (
                <GrantRow
                  key={grant.grant_id}
                  grant={grant}
                  last={lastOf.get(grant.grant_id)}
                  held={waiting.filter(({ grant_id }) => grant_id === grant.grant_id).length}
                />
              ))}
            </ul>
          )}
        </Answer>
      </Panel>
      {live.length > 0 && <Reach grants={live} />}
      {ended.length > 0 && (
        <Panel title="Ended lately">
          <ul className="rows">
            {ended.map((grant) => (
              <li key={grant.grant_id} className="row ended-row soft">
                <span>
                  <NameInPlace id={grant.grant_id} of="grant" small /> {grant.flow_id} {grant.flow_version}
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

/** The last call under each grant, as far back as it is looked. */
function useLastUse(): ReadonlyMap<string, AuditRecord> {
  const filter = { operation: 'flow_external_tool_invoke', limit: CALLS_READ }
  const records = useQuery(recordsQuery(useHub(), filter)).data?.records ?? []
  const last = new Map<string, AuditRecord>()
  for (const record of records)
    if (record.grant_id !== null && !last.has(record.grant_id)) last.set(record.grant_id, record)
  return last
}

function GrantRow({ grant, last, held }: { grant: Grant; last: AuditRecord | undefined; held: number }) {
  const { client } = useHub()
  const { grant_id, flow_id, flow_version, allowed_tools, issued_at, expires_at } = grant
  const { invocation_count: used, max_invocations: most } = grant
  const labels = useLabels()
  const now = useNow()
  const stateOf = useToolStates()
  const left = most === 0 ? 1 : 1 - used / most
  const time = (Date.parse(expires_at) - now) / (Date.parse(expires_at) - Date.parse(issued_at))
  return (
    <li className="row grant-row">
      <div>
        <NameInPlace id={grant_id} of="grant" />
        <p className="small soft">
          {last ? (
            <>
              <Name text={callerWords(last, labels)} />, over {last.surface}
            </>
          ) : (
            <Id id={grant_id} />
          )}
        </p>
      </div>
      <div>
        <Link
          to="/flows/$flow_id"
          params={{ flow_id }}
          search={({ vault }) => ({ ...(vault && { vault }), version: flow_version })}
        >
          {flow_id} <b>{flow_version}</b>
        </Link>
        <p className="tools">
          {allowed_tools.map((tool) => (
            <ToolChip key={tool} tool={tool} state={stateOf(tool)} />
          ))}
          {allowed_tools.length === 0 && <span className="faint">no tools</span>}
        </p>
      </div>
      <span className="measure">
        <Left until={expires_at} />
        <Meter left={time} label={`${Math.round(time * 100)} % of its time is left`} />
      </span>
      <span className="measure">
        {most > 0 && used >= most ? (
          <Status state="closed">used up</Status>
        ) : (
          <span className="num">{most === 0 ? 'no limit' : `${most - used} of ${most}`}</span>
        )}
        <Meter
          left={left}
          label={`${used} of ${most || 'unlimited'} used`}
          tone={left < 0.2 ? 'wait' : 'mark'}
        />
      </span>
      <span>
        {held > 0 ? (
          <Status state="held">{held === 1 ? '1 call held' : `${held} calls held`}</Status>
        ) : (
          <LastUse last={last} used={used} />
        )}
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
          title={
            labels[grant_id] === undefined ? (
              `Revoke this grant of ${flow_id} ${flow_version}?`
            ) : (
              <>
                Revoke <Name text={labels[grant_id]} />?
              </>
            )
          }
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

/** The last call, one click from its reason. */
function LastUse({ last, used }: { last: AuditRecord | undefined; used: number }) {
  if (!last) return <span className="soft">{used === 0 ? 'never used' : 'used before'}</span>
  const words =
    last.outcome === 'allowed' ? (
      <span className="soft">
        allowed <Ago at={last.at} suffix=" ago" />
      </span>
    ) : (
      <Status state={outcomeState(last.outcome)}>
        {last.outcome === 'denied' ? 'refused' : 'failed'} <Ago at={last.at} suffix=" ago" />
      </Status>
    )
  return (
    <Link
      to="/activity"
      className="plain-link"
      search={({ vault }) => ({
        ...(vault && { vault }),
        record: last.seq,
        ...(last.outcome !== 'allowed' && { why: true }),
      })}
    >
      {words}
    </Link>
  )
}

function ToolChip({ tool, state }: { tool: string; state: ToolState }) {
  if (state === 'open') return <code className="chip">{tool}</code>
  const [icon, tone, word] =
    state === 'asks'
      ? (['held', 'wait', 'asks you first'] as const)
      : (['lock', 'no', state === 'changed' ? 'closed, it changed' : 'not on the allowlist'] as const)
  return (
    <code className={`chip tinted tone-${tone}`} title={word}>
      {tool} <Icon name={icon} />
      <span className="unseen">{word}</span>
    </code>
  )
}
