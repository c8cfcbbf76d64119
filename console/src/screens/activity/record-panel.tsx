import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type ReactNode, useEffect, useRef } from 'react'
import { useHub } from '../../api/hub'
import { recordQuery } from '../../api/queries'
import { useLockChange } from '../../frame/stop'
import type { AuditRecord } from '../../parts/bars'
import { Icon } from '../../parts/icon'
import { Id } from '../../parts/id'
import { NameAndId, useLabels } from '../../parts/named'
import { Fault } from '../../parts/panel'
import { callerWords, isToolCall, meaningOf } from '../../parts/record-words'
import { outcomeState, Status } from '../../parts/status'
import { Ago, exactTime } from '../../parts/time'
import { Foreign, Name } from '../../parts/words'

/** One record in full, with its neighbours in the chain. */
export function RecordPanel(props: {
  seq: number
  known: AuditRecord | undefined
  close: () => void
  why: () => void
}) {
  const { seq, known, close, why } = props
  const hub = useHub()
  const asked = useQuery(recordQuery(hub, seq))
  const record = known ?? asked.data?.find((one) => one.seq === seq)
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [seq])
  return (
    <aside className="side" aria-label={`Record ${seq}`}>
      <header className="side-head">
        <h2 ref={heading} tabIndex={-1}>
          Record {seq}
        </h2>
        <button type="button" className="icon-button" onClick={close} aria-label="Close">
          <Icon name="cross" />
        </button>
      </header>
      {asked.error && <Fault error={asked.error} />}
      {!record && asked.data && (
        <p className="empty">The log does not hold this record any more, or it is another vault's.</p>
      )}
      {record && <Shown record={record} near={asked.data ?? []} why={why} />}
    </aside>
  )
}

function Shown({
  record,
  near,
  why,
}: {
  record: AuditRecord
  near: readonly AuditRecord[]
  why: () => void
}) {
  const meaning = meaningOf(record.code)
  const labels = useLabels()
  return (
    <>
      {record.outcome !== 'allowed' && (
        <div className="card">
          <Status state={outcomeState(record.outcome)}>
            {record.outcome === 'denied' ? 'Refused' : 'Failed'}: {meaning}
          </Status>
          {isToolCall(record) && (
            <p>
              <button type="button" className="button main" onClick={why}>
                Why, in full
              </button>
            </p>
          )}
        </div>
      )}
      <dl className="facts">
        <Fact name="When">
          {exactTime(record.at)}{' '}
          <span className="faint">
            <Ago at={record.at} suffix=" ago" />
          </span>
        </Fact>
        <Fact name="Who">
          <b>
            <Name text={callerWords(record, labels)} />
          </b>{' '}
          <span className="faint">{record.caller_kind}</span>
        </Fact>
        <Fact name="Did">
          <code>{record.operation}</code>
        </Fact>
        {record.target_id !== null && (
          <Fact name={record.target_kind ?? 'To'}>
            <NameAndId id={record.target_id} />
          </Fact>
        )}
        {record.grant_id !== null && (
          <Fact name="Grant">
            <Link to="/activity" search={(now) => ({ ...now, grant: record.grant_id as string })}>
              its calls
            </Link>{' '}
            <NameAndId id={record.grant_id} />
          </Fact>
        )}
        {record.flow_id !== null && (
          <Fact name="Flow">
            {record.flow_id} {record.flow_version}
          </Fact>
        )}
        {record.seat_id !== null && (
          <Fact name="Seat">
            <NameAndId id={record.seat_id} />
          </Fact>
        )}
        {record.code !== null && (
          <Fact name="It heard">
            <code>{record.code}</code>
          </Fact>
        )}
        <Fact name="Via">
          {record.surface} <span className="faint">· client says</span> <Foreign text={record.client} />
        </Fact>
        <Fact name="Policy">
          <code>{record.policy_revision.slice(0, 12)}</code>
        </Fact>
        {record.request_id !== null && (
          <Fact name="Request">
            <Id id={record.request_id} />
          </Fact>
        )}
        <Fact name="Took">{(record.duration_us / 1_000).toFixed(1)} ms</Fact>
        {record.repeats > 1 && <Fact name="Times">{record.repeats} equal calls</Fact>}
      </dl>
      <p className="small faint">Arguments and answers are never recorded.</p>
      <Neighbours record={record} near={near} />
      <StopCaller record={record} />
    </>
  )
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

function Neighbours({ record, near }: { record: AuditRecord; near: readonly AuditRecord[] }) {
  const shown = near.filter(({ seq }) => Math.abs(seq - record.seq) <= 1).toReversed()
  if (shown.length < 2) return null
  return (
    <>
      <h3 className="small faint">Its place in the chain</h3>
      <ol className="chain-links">
        {shown.map(({ seq, hash }) => (
          <li key={seq} aria-current={seq === record.seq}>
            <Link to="/activity" search={(now) => ({ ...now, record: seq })}>
              {seq}
            </Link>
            <code className="faint">{hash.slice(0, 4)}…</code>
          </li>
        ))}
      </ol>
    </>
  )
}

const STOPPABLE = ['token', 'toolbox', 'owner_agent', 'mcp_client', 'gateway']

function StopCaller({ record }: { record: AuditRecord }) {
  const { stop } = useLockChange()
  const labels = useLabels()
  if (!STOPPABLE.includes(record.caller_kind)) return null
  return (
    <footer className="side-foot">
      {stop.error && <Fault error={stop.error} />}
      {stop.data ? (
        <Status state="stopped">stopped</Status>
      ) : (
        <button
          type="button"
          className="button danger"
          disabled={stop.isPending}
          onClick={() => stop.mutate({ kind: 'agent', id: record.caller_id })}
        >
          <Icon name="stop" /> Stop <Name text={callerWords(record, labels)} />
        </button>
      )}
    </footer>
  )
}
