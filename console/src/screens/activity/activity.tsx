import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useEffect, useMemo, useState } from 'react'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import { chainQuery, type RecordFilter } from '../../api/queries'
import { isTyping } from '../../frame/keys'
import { Icon } from '../../parts/icon'
import { Fault } from '../../parts/panel'
import { SaveLines } from '../../parts/save-lines'
import { Status } from '../../parts/status'
import type { ActivitySearch } from '../../router'
import { Filters } from './filters'
import type { RecordList } from './record-list'
import { RecordPanel } from './record-panel'
import { RecordRows } from './record-rows'
import { Stretch } from './stretch'
import { useTail } from './use-tail'
import { WhyDrawer } from './why-drawer'

/** What happened? Every call, as the audit log keeps it, with new ones as they come. */
export function Activity() {
  const search = useSearch({ from: '/activity' })
  const navigate = useNavigate({ from: '/activity' })
  const [isReading, setReading] = useState(false)
  const [isHeld, setHeld] = useState(false)
  const filter = useFilter(search)
  const isStill = isHeld || isReading || search.record !== undefined
  const tail = useTail(filter, isStill)
  const open = useCallback(
    (record: number | undefined, why = false) =>
      void navigate({
        search: ({ record: _record, why: _why, ...kept }) => ({
          ...kept,
          ...(record !== undefined && { record }),
          ...(why && { why }),
        }),
      }),
    [navigate],
  )
  const show = useCallback((record: number) => open(record), [open])
  useKeys({
    records: tail.records,
    at: search.record,
    open,
    hold: () => setHeld(!isHeld),
  })
  const shown = tail.records.at(tail.records.placeOf(search.record))
  return (
    <div className={`page activity ${search.record !== undefined ? 'with-side' : ''}`}>
      <div className="activity-main">
        <header className="page-head">
          <div>
            <h1>Activity</h1>
            <p className="lead">Every call, as the audit log keeps it. Records are never changed.</p>
          </div>
          <Chain />
        </header>
        <Filters search={search} />
        <Stretch search={search} />
        <div className="strip">
          {isStill ? (
            <>
              <Icon name="pause" /> <b>Held still while you read</b>
              {tail.waiting > 0 && (
                <>
                  <span>
                    {tail.waiting}
                    {tail.skipped && '+'} new {tail.waiting === 1 ? 'call' : 'calls'}
                  </span>
                  <button type="button" className="link" onClick={tail.showAll}>
                    Show them
                  </button>
                </>
              )}
              {isHeld && (
                <button type="button" className="link" onClick={() => setHeld(false)}>
                  Follow again
                </button>
              )}
            </>
          ) : (
            <>
              <span className="soft">New calls appear on top.</span>
              {tail.skipped && (
                <button type="button" className="link" onClick={() => void tail.readAnew()}>
                  More came than is shown: read the list anew
                </button>
              )}
            </>
          )}
          <span className="strip-key faint">
            <kbd>.</kbd> {isHeld ? 'follow again' : 'hold still'}
          </span>
        </div>
        {tail.older.error && <Fault error={tail.older.error} retry={() => void tail.older.refetch()} />}
        <RecordRows tail={tail} chosen={search.record} open={show} onReading={setReading} />
      </div>
      {search.record !== undefined && (
        <RecordPanel
          seq={search.record}
          known={shown}
          close={() => open(undefined)}
          why={() => open(search.record, true)}
        />
      )}
      {search.record !== undefined && search.why === true && (
        <WhyDrawer seq={search.record} close={() => open(search.record)} />
      )}
    </div>
  )
}

function useFilter(search: ActivitySearch): RecordFilter {
  const { outcome, operation, called_by, grant, tool, flow, own, since, until } = search
  return useMemo(
    () => ({
      ...(outcome && { outcome }),
      ...(operation && { operation }),
      ...(called_by && { called_by }),
      ...(grant && { grant }),
      ...(tool && { tool }),
      ...(flow && { flow }),
      ...(since && { since }),
      ...(until && { until }),
      ...(!own && { hide_own_reads: true }),
    }),
    [outcome, operation, called_by, grant, tool, flow, own, since, until],
  )
}

function useKeys(props: {
  records: RecordList
  at: number | undefined
  open: (record: number | undefined) => void
  hold: () => void
}) {
  const { records, at, open, hold } = props
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const place = records.placeOf(at)
      if (event.key === 'j') open(records.at(Math.min(place + 1, records.length - 1))?.seq)
      else if (event.key === 'k') open(records.at(Math.max(place - 1, 0))?.seq)
      else if (event.key === '.') hold()
      else if (event.key === 'Escape' && at !== undefined) open(undefined)
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [records, at, open, hold])
}

function Chain() {
  const hub = useHub()
  const chain = useQuery(chainQuery(hub))
  return (
    <div className="chain">
      {chain.data &&
        (chain.data.intact ? (
          <Status state="intact">Chain intact, {chain.data.records} records</Status>
        ) : (
          <Status state="failed">{chain.data.fault}</Status>
        ))}
      {chain.error && <Fault error={chain.error} />}
      <button
        type="button"
        className="button"
        disabled={chain.isFetching}
        onClick={() => void chain.refetch()}
      >
        {chain.isFetching ? 'Verifying…' : 'Verify again'}
      </button>
      <SaveLines
        title="Export the audit log?"
        file="audit.jsonl"
        page={(after_seq) =>
          answerOf(
            hub.client.GET('/api/v1/audit/export', {
              params: { query: after_seq === undefined ? {} : { after_seq } },
            }),
          )
        }
      >
        <p>
          The records of all vaults as signed lines, the oldest first. Whoever has the file can check it with{' '}
          <code>knowtation audit verify --file audit.jsonl</code>.
        </p>
      </SaveLines>
    </div>
  )
}
