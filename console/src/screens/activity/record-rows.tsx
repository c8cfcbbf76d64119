import { memo, useEffect, useRef } from 'react'
import type { AuditRecord } from '../../parts/bars'
import { type LabelsById, useLabels } from '../../parts/named'
import { callerWords, deedOf, meaningOf } from '../../parts/record-words'
import { outcomeState, Status } from '../../parts/status'
import { Ago } from '../../parts/time'
import { Name } from '../../parts/words'
import type { useTail } from './use-tail'
import { useWindow } from './use-window'

/** Near the end of what is known, the next page is asked for. */
const NEAR_END = 60

/** The records in a list of any length, of which only what is in sight is in the page. */
export function RecordRows(props: {
  tail: ReturnType<typeof useTail>
  chosen: number | undefined
  open: (record: number) => void
  onReading: (isReading: boolean) => void
}) {
  const { tail, chosen, open, onReading } = props
  const { records, older } = tail
  const labels = useLabels()
  const scroller = useRef<HTMLDivElement>(null)
  const { row_px, first, last, look } = useWindow(scroller, records.length)
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = older
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last > records.length - NEAR_END) void fetchNextPage()
  }, [last, records.length, hasNextPage, isFetchingNextPage, fetchNextPage])
  const scroll = () => {
    look()
    onReading((scroller.current?.scrollTop ?? 0) > row_px)
  }
  return (
    <div className="log" role="table" aria-label="Records" aria-rowcount={records.length}>
      <div className="log-row log-head" role="row">
        {['When', 'Outcome', 'Who', 'Did what', 'Via', 'Took'].map((name) => (
          <span key={name} role="columnheader">
            {name}
          </span>
        ))}
      </div>
      <div className="log-scroll" ref={scroller} onScroll={scroll} role="rowgroup" tabIndex={0}>
        <div className="log-space" style={{ height: records.length * row_px }}>
          {records.slice(first, last).map((record, place) => (
            <Row
              key={record.seq}
              record={record}
              labels={labels}
              start={(first + place) * row_px}
              isChosen={record.seq === chosen}
              open={open}
            />
          ))}
        </div>
        {records.length === 0 && older.data && !hasNextPage && (
          <p className="empty">Nothing fits. Take a filter away to see more.</p>
        )}
      </div>
    </div>
  )
}

/** A row is drawn anew only where something of it has changed. */
const Row = memo(function Row({
  record,
  labels,
  start,
  isChosen,
  open,
}: {
  record: AuditRecord
  labels: LabelsById
  start: number
  isChosen: boolean
  open: (record: number) => void
}) {
  const { verb, what, on } = deedOf(record, labels)
  const meaning = record.outcome === 'allowed' ? '' : meaningOf(record.code)
  return (
    <div
      className={`log-row ${isChosen ? 'is-chosen' : ''}`}
      role="row"
      style={{ transform: `translateY(${start}px)` }}
      onClick={() => open(record.seq)}
    >
      <span role="cell" className="faint">
        <Ago at={record.at} />
      </span>
      <span role="cell">
        <Status state={outcomeState(record.outcome)} />
      </span>
      <span role="cell" className="cut">
        <b>
          <Name text={callerWords(record, labels)} />
        </b>
      </span>
      <span role="cell" className="cut">
        <button type="button" className="row-open" onClick={() => open(record.seq)}>
          {verb}{' '}
          <code>
            <Name text={what} />
          </code>{' '}
          {on !== null && (
            <>
              · <Name text={on} />
            </>
          )}{' '}
          {meaning !== '' && <span className="soft">· {meaning}</span>}
          {record.repeats > 1 && <span className="chip">×{record.repeats}</span>}
        </button>
      </span>
      <span role="cell" className="soft">
        {record.surface}
      </span>
      <span role="cell" className="num soft">
        {tookWords(record.duration_us)}
      </span>
    </div>
  )
})

function tookWords(us: number): string {
  if (us < 1_000_000) return `${(us / 1_000).toFixed(us < 10_000 ? 1 : 0)} ms`
  return `${(us / 1_000_000).toFixed(1)} s`
}
