import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useHub } from '../../api/hub'
import { alertsQuery, connectionsQuery, doctorQuery, proposalsQuery } from '../../api/queries'
import { Icon, type IconName } from '../../parts/icon'
import { Fault, Panel } from '../../parts/panel'
import { Ago } from '../../parts/time'
import { Foreign, Name } from '../../parts/words'

interface Need {
  readonly key: string
  readonly icon: IconName
  readonly tone: 'wait' | 'no' | 'live' | 'fail'
  readonly title: ReactNode
  readonly note: ReactNode
  readonly at?: string
  readonly act: ReactNode
}

interface Needs {
  readonly items: readonly Need[]
  readonly faults: readonly Error[]
  /** Whether all was read that could need somebody. */
  readonly isComplete: boolean
}

/** What waits for the owner, most urgent first. */
export function useNeeds(): Needs {
  const hub = useHub()
  const alerts = useQuery(alertsQuery(hub))
  const proposals = useQuery(proposalsQuery(hub, 'proposed'))
  const connections = useQuery(connectionsQuery(hub))
  const doctor = useQuery(doctorQuery(hub))
  const asked: readonly UseQueryResult<unknown>[] = [alerts, proposals, connections, doctor]
  const items = [
    ...(doctor.data?.findings ?? []).filter(({ state }) => state === 'wrong').map(findingNeed),
    ...(alerts.data?.alerts ?? []).filter(({ acknowledged_at }) => acknowledged_at === null).map(alertNeed),
    ...(proposals.data?.proposals ?? []).map((proposal) => proposalNeed(proposal, hub.vault)),
  ]
  return {
    items,
    faults: asked.flatMap(({ error }) => (error ? [error] : [])),
    isComplete: asked.every(({ data }) => data !== undefined),
  }
}

function findingNeed({
  subject,
  detail,
  fix,
}: {
  subject: string
  detail: string
  fix: string | null
}): Need {
  return {
    key: `finding ${subject}`,
    icon: 'failed',
    tone: 'no',
    title: subject,
    note: (
      <>
        <Name text={detail} /> {fix !== null && <Name text={fix} />}
      </>
    ),
    act: null,
  }
}

function alertNeed({
  agent_id,
  violations,
  last_violation_at,
}: {
  agent_id: string
  violations: number
  last_violation_at: string
}): Need {
  return {
    key: `alert ${agent_id}`,
    icon: 'failed',
    tone: 'no',
    title: (
      <>
        <Name text={agent_id} /> is in Alert Mode
      </>
    ),
    note: `${violations} tries to get out of its seat`,
    at: last_violation_at,
    act: (
      <a className="button" href="/owner/activity">
        Look
      </a>
    ),
  }
}

function proposalNeed(
  {
    proposal_id,
    flow_id,
    base_version,
    flow_version,
    intent,
    created_at,
    created_by,
  }: {
    proposal_id: string
    flow_id: string
    base_version: string | null
    flow_version: string
    intent: string
    created_at: string
    created_by: string
  },
  vault: string,
): Need {
  const query = vault === 'default' ? '' : `?vault=${encodeURIComponent(vault)}`
  return {
    key: proposal_id,
    icon: 'flows',
    tone: 'wait',
    title: (
      <>
        Proposal: {flow_id} {base_version !== null && `${base_version} → `}
        {flow_version}
      </>
    ),
    note: (
      <>
        by <Name text={created_by} /> <Foreign text={intent} />
      </>
    ),
    at: created_at,
    act: (
      <a className="button" href={`/owner/proposals/${proposal_id}${query}`}>
        Review
      </a>
    ),
  }
}

export function NeedsYou({ needs: { items, faults, isComplete } }: { needs: Needs }) {
  return (
    <Panel title="Needs you" note="most urgent first">
      {faults.map((error) => (
        <Fault key={error.message} error={error} />
      ))}
      {items.length === 0 && isComplete && <p className="empty">Nothing waits for you.</p>}
      <ul className="rows">
        {items.map(({ key, icon, tone, title, note, at, act }) => (
          <li key={key} className="need">
            <span className={`badge tone-${tone}`}>
              <Icon name={icon} />
            </span>
            <div>
              <b>{title}</b>
              <p className="soft">{note}</p>
            </div>
            <span className="faint">{at !== undefined && <Ago at={at} />}</span>
            <span className="acts">{act}</span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
