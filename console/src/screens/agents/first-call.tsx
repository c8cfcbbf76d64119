import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { clientSettingsQuery, grantToolsQuery } from '../../api/agent-queries'
import { useHub } from '../../api/hub'
import { consentsQuery, recordsQuery } from '../../api/queries'
import { useNow } from '../../live/now'
import type { AuditRecord } from '../../parts/bars'
import { Icon } from '../../parts/icon'
import { NameOrId, useLabels } from '../../parts/named'
import { Fault } from '../../parts/panel'
import { callerWords, meaningOf } from '../../parts/record-words'
import { outcomeState, Status } from '../../parts/status'
import { Ago, spanWords } from '../../parts/time'
import { Name } from '../../parts/words'

interface Credentials {
  readonly grant: string | undefined
  readonly seat: string | undefined
  readonly token: string | undefined
}

/** Callers that are somebody else than the owner. */
const PROGRAMS = ['token', 'toolbox', 'mcp_client', 'owner_agent', 'gateway']
/** What the hub does for a program that signs in is no call of the program's. */
const OWN_WORK = 'flow_consent_grant'

/** Listens for the first call of the program that is being connected, and says what it sees. */
export function FirstCall({ grant, seat, token }: Credentials) {
  const hub = useHub()
  const [since] = useState(() => new Date().toISOString())
  const filter = { since, ...(grant && { grant }), hide_own_reads: true, limit: 50 }
  const records = useQuery({ ...recordsQuery(hub, filter), refetchInterval: 3_000 })
  const calls = (records.data?.records ?? []).filter((record) => isItsCall(record, { grant, seat, token }))
  const first = calls.findLast(({ outcome }) => outcome === 'allowed')
  const refused = calls.findLast(({ outcome }) => outcome !== 'allowed')
  const seen = first ?? refused
  return (
    <aside className="first-call card" aria-label="Its first call">
      <header className="side-head">
        <h2>
          <span aria-live="polite">
            {first ? 'Connected' : refused ? 'It was refused' : 'Waiting for the first call'}
          </span>
        </h2>
        {first ? <Status state="on">connected</Status> : <Status state="running">listening</Status>}
      </header>
      {records.error && <Fault error={records.error} />}
      <ol className="reached">
        <Reached isDone={seen !== undefined} title="The program reached the hub">
          {seen && (
            <>
              over {seen.surface}, <Ago at={seen.at} suffix=" ago" />
            </>
          )}
        </Reached>
        <Reached isDone={seen !== undefined} title="Its credential counts">
          {seen && <Caller record={seen} />}
        </Reached>
        <Tools grant={grant} seen={seen} />
        <Reached isDone={first !== undefined} title={first ? 'Connected' : 'Its first call'} isNow={!first}>
          {first ? <code>{first.target_id ?? first.operation}</code> : <Waited since={since} />}
        </Reached>
      </ol>
      {!first && refused && <Refusal record={refused} />}
      {!seen && <NothingArrives />}
    </aside>
  )
}

function isItsCall(record: AuditRecord, { grant, seat, token }: Credentials): boolean {
  if (!PROGRAMS.includes(record.caller_kind) || record.operation === OWN_WORK) return false
  if (grant !== undefined) return record.grant_id === grant
  const id = seat ?? token
  return id === undefined ? true : record.caller_id === id
}

function Reached(props: { isDone: boolean; title: string; isNow?: boolean; children?: React.ReactNode }) {
  const { isDone, title, isNow = false, children } = props
  return (
    <li className={`step ${isDone ? 'is-done' : ''} ${isNow ? 'is-now' : ''}`}>
      <span className="step-mark" aria-hidden="true">
        {isDone && <Icon name="check" />}
      </span>
      <div>
        <b>{title}</b>
        <p className="small soft">{children}</p>
      </div>
    </li>
  )
}

function Caller({ record }: { record: AuditRecord }) {
  const labels = useLabels()
  return (
    <>
      <Name text={callerWords(record, labels)} /> <span className="faint">{record.caller_kind}</span>
    </>
  )
}

function Waited({ since }: { since: string }) {
  return <>{spanWords(useNow() - Date.parse(since))}, this page changes by itself</>
}

/** The tools that the holder of the grant is shown, and where there are none, what takes them away. */
function Tools({ grant, seen }: { grant: string | undefined; seen: AuditRecord | undefined }) {
  const hub = useHub()
  const consents = useQuery(consentsQuery(hub)).data?.data ?? []
  const consent = consents.find(({ consent_id }) => consent_id === seen?.caller_id)
  const id = grant ?? seen?.grant_id ?? consent?.grant_id ?? undefined
  const shown = useQuery({ ...grantToolsQuery(hub, id ?? ''), enabled: id !== undefined })
  if (id === undefined)
    return (
      <Reached isDone={seen !== undefined} title="It sees what its role may">
        {consent?.role ?? (seen && 'the tools of its seat or role')}
      </Reached>
    )
  const { tools = [], filters = [] } = shown.data ?? {}
  const taken = filters.filter(({ before, after }) => after < before)
  const title =
    tools.length === 1 ? 'It sees 1 tool, as granted' : `It sees ${tools.length} tools, as granted`
  return (
    <Reached isDone={tools.length > 0} title={shown.data ? title : 'Its grant'}>
      <NameOrId id={id} />
      {tools.length > 0 && (
        <>
          : <code>{tools.join(', ')}</code>
        </>
      )}
      {taken.map(({ filter, before, after, detail }) => (
        <span key={filter} className="why-none">
          <Icon name="refused" className="tone-no" /> {filter} takes {before - after}: <Name text={detail} />
        </span>
      ))}
    </Reached>
  )
}

function Refusal({ record }: { record: AuditRecord }) {
  return (
    <p className="card">
      <Status state={outcomeState(record.outcome)}>
        {record.target_id ?? record.operation}: {meaningOf(record.code)}
      </Status>{' '}
      <Link
        to="/activity"
        search={({ vault }) => ({
          ...(vault && { vault }),
          record: record.seq,
          ...(record.operation === 'flow_external_tool_invoke' && { why: true }),
        })}
      >
        Why
      </Link>
    </p>
  )
}

function NothingArrives() {
  // Programs know the hub by this address; that of the owner's pages is nothing for them.
  const url = useQuery(clientSettingsQuery(useHub(), 'sign_in', 'knowtation')).data?.url ?? ''
  const trouble = [
    ['401', 'The secret is not set where the program was started, or was revoked.'],
    ['no call at all', `It calls another address than ${url}.`],
    ['refused', 'It shows up here with its reason.'],
  ] as const
  return (
    <>
      <h3>Nothing arrives?</h3>
      <dl className="facts trouble">
        {trouble.map(([sign, meaning]) => (
          <div key={sign}>
            <dt>
              <code>{sign}</code>
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
    </>
  )
}
