import { useVirtualizer } from '@tanstack/react-virtual'
import { useEffect, useRef } from 'react'
import type { AuditRecord } from '../../parts/bars'
import { type LabelsById, useLabels } from '../../parts/named'
import { callerWords, deedOf, meaningOf } from '../../parts/record-words'
import { outcomeState, Status } from '../../parts/status'
import { Ago } from '../../parts/time'
import { Name } from '../../parts/words'
import type { useTail } from './use-tail'

const ROW_PX = 30
const ROW_PHONE_PX = 56
const AHEAD = 12
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
  const rows = useVirtualizer({
    count: records.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => (matchMedia('(max-width: 45rem)').matches ? ROW_PHONE_PX : ROW_PX),
    overscan: AHEAD,
    getItemKey: (place) => records[place]?.seq ?? place,
  })
  const shown = rows.getVirtualItems()
  const last = shown.at(-1)?.index ?? 0
  const { hasNextPage, isFetchingNextPage, fetchNextPage } = older
  useEffect(() => {
    if (hasNextPage && !isFetchingNextPage && last > records.length - NEAR_END) void fetchNextPage()
  }, [last, records.length, hasNextPage, isFetchingNextPage, fetchNextPage])
  const scroll = () => onReading((scroller.current?.scrollTop ?? 0) > ROW_PX)
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
        <div className="log-space" style={{ height: rows.getTotalSize() }}>
          {shown.map(({ index, start, key }) => {
            const record = records[index]
            return (
              record && (
                <Row
                  key={key}
                  record={record}
                  labels={labels}
                  start={start}
                  isChosen={record.seq === chosen}
                  open={() => open(record.seq)}
                />
              )
            )
          })}
        </div>
        {records.length === 0 && older.data && !hasNextPage && (
          <p className="empty">Nothing fits. Take a filter away to see more.</p>
        )}
      </div>
    </div>
  )
}

function Row({
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
  open: () => void
}) {
  const { verb, what, on } = deedOf(record, labels)
  const meaning = record.outcome === 'allowed' ? '' : meaningOf(record.code)
  return (
    <div
      className={`log-row ${isChosen ? 'is-chosen' : ''}`}
      role="row"
      style={{ transform: `translateY(${start}px)` }}
      onClick={open}
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
        <button type="button" className="row-open" onClick={open}>
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
}

function tookWords(us: number): string {
  if (us < 1_000_000) return `${(us / 1_000).toFixed(us < 10_000 ? 1 : 0)} ms`
  return `${(us / 1_000_000).toFixed(1)} s`
}
