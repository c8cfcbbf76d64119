import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { compareQuery, versionsQuery } from '../../api/flow-queries'
import { useHub } from '../../api/hub'
import { grantsQuery } from '../../api/queries'
import { useNow } from '../../live/now'
import { Changes, type Compared, groupsOf, unchangedIn } from '../../parts/changes'
import { Answer, Panel } from '../../parts/panel'
import { PowerList } from '../../parts/power-list'
import { Ago } from '../../parts/time'

/** Every version that there was, and what differs between any two of them. */
export function Versions({ flow_id }: { flow_id: string }) {
  const hub = useHub()
  const asked = useQuery(versionsQuery(hub, flow_id))
  return (
    <Answer of={asked} rows={4}>
      {({ versions, truncated }) => (
        <>
          <VersionList flow_id={flow_id} versions={versions} truncated={truncated} />
          {versions.length < 2 ? (
            <p className="empty">There is one version, so there is nothing to compare.</p>
          ) : (
            <Compare flow_id={flow_id} known={versions.map(({ version }) => version)} />
          )}
        </>
      )}
    </Answer>
  )
}

function VersionList(props: {
  flow_id: string
  versions: readonly { version: string; scope: string; created_at: string }[]
  truncated: boolean
}) {
  const { flow_id, versions, truncated } = props
  const hub = useHub()
  const now = useNow()
  const grants = useQuery(grantsQuery(hub)).data?.grants
  const liveOf = (version: string) =>
    grants?.filter(
      (grant) =>
        grant.flow_id === flow_id &&
        grant.flow_version === version &&
        grant.revoked_at === null &&
        Date.parse(grant.expires_at) > now,
    ).length ?? 0
  return (
    <Panel title="Versions" note="none is ever changed">
      <ul className="rows">
        {versions.map(({ version, scope, created_at }, place) => (
          <li key={version} className="row version-row">
            <b className="num">{version}</b>
            <span className="soft">
              {scope}, <Ago at={created_at} suffix=" ago" />
            </span>
            <span>
              {place === 0 && <span className="chip tone-ok">newest</span>}
              {liveOf(version) > 0 && (
                <span className="chip">
                  {liveOf(version)} live {liveOf(version) === 1 ? 'grant' : 'grants'}
                </span>
              )}
            </span>
            <Link to="." search={({ vault }) => ({ ...(vault && { vault }), version })}>
              Read<span className="unseen"> {version}</span>
            </Link>
          </li>
        ))}
      </ul>
      {truncated && <p className="empty">There are more than are shown here.</p>}
    </Panel>
  )
}

function Compare({ flow_id, known }: { flow_id: string; known: readonly string[] }) {
  const search = useSearch({ from: '/flows/$flow_id' })
  const navigate = useNavigate({ from: '/flows/$flow_id' })
  const version = search.version ?? (known[0] as string)
  const base = search.base ?? (known[1] as string)
  const choose = (changes: { base?: string; version?: string }) =>
    void navigate({ search: (now) => ({ ...now, ...changes }), replace: true })
  const asked = useQuery(compareQuery(useHub(), flow_id, base, version))
  return (
    <section aria-label="Compare">
      <p className="compare-line">
        <VersionChoice label="From" chosen={base} known={known} choose={(one) => choose({ base: one })} />
        <VersionChoice label="to" chosen={version} known={known} choose={(one) => choose({ version: one })} />
      </p>
      <Answer of={asked} rows={6}>
        {(found) =>
          found.diff.changes.length === 0 ? (
            <p className="empty">They are the same.</p>
          ) : (
            <>
              <PowerList power={found.power} isNew={false} />
              <Comparison found={found} />
            </>
          )
        }
      </Answer>
    </section>
  )
}

function Comparison({ found }: { found: Compared }) {
  const groups = groupsOf(found)
  return <Changes groups={groups} unchanged={unchangedIn(found, groups)} isCut={found.diff.truncated} />
}

function VersionChoice(props: {
  label: string
  chosen: string
  known: readonly string[]
  choose: (version: string) => void
}) {
  return (
    <label>
      {props.label}{' '}
      <select value={props.chosen} onChange={({ target }) => props.choose(target.value)}>
        {props.known.map((version) => (
          <option key={version}>{version}</option>
        ))}
      </select>
    </label>
  )
}
