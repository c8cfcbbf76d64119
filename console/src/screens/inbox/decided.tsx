import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useHub } from '../../api/hub'
import { approvalsQuery, proposalsQuery } from '../../api/queries'
import { Icon } from '../../parts/icon'
import { Fault } from '../../parts/panel'
import { Ago } from '../../parts/time'

const SHOWN = 60

interface Done {
  readonly key: string
  readonly title: string
  readonly how: string
  readonly isYes: boolean
  readonly at: string
}

/** What was decided lately, newest first. */
export function Decided({ shown }: { shown: string | undefined }) {
  const hub = useHub()
  const approvals = useQuery(approvalsQuery(hub))
  const [approved, discarded] = [
    useQuery(proposalsQuery(hub, 'approved')),
    useQuery(proposalsQuery(hub, 'discarded')),
  ]
  const proposals = [...(approved.data?.proposals ?? []), ...(discarded.data?.proposals ?? [])]
  const all: Done[] = [
    ...(approvals.data?.data ?? [])
      .filter(({ state }) => state !== 'waiting')
      .map(({ approval_id, tool_id, state, decided_at, expires_at }) => ({
        key: `call:${approval_id}`,
        title: tool_id,
        how: state,
        isYes: !['denied', 'expired'].includes(state),
        at: decided_at ?? expires_at,
      })),
    ...proposals.map(({ proposal_id, flow_id, flow_version, status, decided_at, created_at }) => ({
      key: `proposal:${proposal_id}`,
      title: `${flow_id} ${flow_version}`,
      how: status,
      isYes: status === 'approved',
      at: decided_at ?? created_at,
    })),
  ]
  const sorted = all.toSorted((one, other) => other.at.localeCompare(one.at)).slice(0, SHOWN)
  const asked = [approvals, approved, discarded]
  return (
    <>
      {asked.map(({ error }, place) => error && <Fault key={`${place} ${error.message}`} error={error} />)}
      {sorted.length === 0 && asked.every(({ data }) => data) && (
        <p className="empty">Nothing was decided here yet.</p>
      )}
      <ul>
        {sorted.map(({ key, title, how, isYes, at }) => (
          <li key={key}>
            <Link
              to="/inbox"
              search={({ vault }) => ({ ...(vault && { vault }), done: true, item: key })}
              className={`entry ${key === shown ? 'is-shown' : ''}`}
            >
              <Icon name={isYes ? 'allowed' : 'refused'} className={isYes ? 'tone-ok' : 'tone-faint'} />
              <span className="entry-words">
                <b>{title}</b>
                <span className="soft">{how}</span>
              </span>
              <span className="small faint">
                <Ago at={at} />
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}
