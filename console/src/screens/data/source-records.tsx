import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { streamsQuery } from '../../api/data-queries'
import { useHub } from '../../api/hub'
import type { Connection } from '../../api/shapes'
import { recordOfQuery, recordPageQuery } from '../../api/source-queries'
import { Answer, Panel } from '../../parts/panel'
import { Status } from '../../parts/status'
import { Ago } from '../../parts/time'
import { Foreign, Name } from '../../parts/words'
import { EXCERPT_CHARS, Found, FROM, RecordLink, SearchBox } from './record-search'

/** The newest changes are those of the last so many places. */
const LATELY = 50

/** What a source has brought: its streams, the records of one, and what is found by words. */
export function SourceRecords({ connection: { connection_id } }: { connection: Connection }) {
  const hub = useHub()
  const { stream, key, q } = useSearch({ from: FROM })
  const streams = useQuery(streamsQuery(hub, connection_id))
  const shown = stream ?? streams.data?.data[0]?.stream
  return (
    <div className="records-view">
      <div>
        <SearchBox key={q ?? ''} q={q} />
        <Panel title="Streams">
          <Answer of={streams} empty={({ data }) => data.length === 0 && 'No record was collected yet.'}>
            {({ data }) => (
              <ul className="rows">
                {data.map((one) => (
                  <li key={one.stream} className={`on-row ${one.stream === shown && !q ? 'is-chosen' : ''}`}>
                    <RecordLink connection_id={connection_id} stream={one.stream}>
                      <b>
                        <Name text={one.stream} />
                      </b>
                    </RecordLink>
                    <span className="num soft">{one.record_count.toLocaleString('en')}</span>
                    <span className="small faint">
                      <Ago at={one.updated_at} suffix=" ago" />
                    </span>
                  </li>
                ))}
              </ul>
            )}
          </Answer>
        </Panel>
      </div>
      <div>
        {key !== undefined && stream !== undefined && (
          <OneRecord connection_id={connection_id} stream={stream} record_key={key} />
        )}
        {q !== undefined && <Found connection_id={connection_id} q={q} />}
        {q === undefined && shown !== undefined && (
          <RecordList
            key={shown}
            connection_id={connection_id}
            stream={shown}
            last={Number(streams.data?.data.find((one) => one.stream === shown)?.cursor ?? 0)}
          />
        )}
      </div>
    </div>
  )
}

function RecordList({
  connection_id,
  stream,
  last,
}: {
  connection_id: string
  stream: string
  last: number
}) {
  const hub = useHub()
  const [places, setPlaces] = useState<readonly string[]>()
  const isLatest = places === undefined
  const cursor = places?.at(-1)
  const page = useQuery(
    recordPageQuery(hub, {
      connection_id,
      stream,
      ...(isLatest
        ? { changes_since: String(Math.max(0, last - LATELY)) }
        : cursor !== undefined && { cursor }),
    }),
  )
  return (
    <Panel
      title={isLatest ? 'Newest changes' : 'All, from the oldest'}
      aside={
        <span className="choice" role="group" aria-label="Which records">
          <button type="button" aria-pressed={isLatest} onClick={() => setPlaces(undefined)}>
            Newest
          </button>
          <button type="button" aria-pressed={!isLatest} onClick={() => setPlaces([])}>
            All
          </button>
        </span>
      }
    >
      <Answer of={page} empty={({ data }) => data.length === 0 && 'There is no record here.'}>
        {({ data, next_cursor }) => (
          <>
            <ul className="rows">
              {(isLatest ? data.toReversed() : data).map((one) => (
                <li key={one.cursor} className="row record-row">
                  {'data' in one ? (
                    <>
                      <RecordLink connection_id={connection_id} stream={stream} record={one.key}>
                        <Name text={one.key} />
                      </RecordLink>
                      <span className="cut">
                        <Foreign text={JSON.stringify(one.data).slice(0, EXCERPT_CHARS)} />
                      </span>
                      <span className="faint">
                        <Ago at={one.updated_at} suffix=" ago" />
                      </span>
                    </>
                  ) : (
                    <>
                      <Name text={one.key} />
                      <Status state="off">gone at its source</Status>
                      <span className="faint">
                        <Ago at={one.removed_at} suffix=" ago" />
                      </span>
                    </>
                  )}
                </li>
              ))}
            </ul>
            {!isLatest && (
              <p className="acts pager">
                <button
                  type="button"
                  className="button"
                  disabled={places.length === 0}
                  onClick={() => setPlaces(places.slice(0, -1))}
                >
                  Back
                </button>
                <button
                  type="button"
                  className="button"
                  disabled={next_cursor === null}
                  onClick={() => next_cursor !== null && setPlaces([...places, next_cursor])}
                >
                  Next
                </button>
              </p>
            )}
          </>
        )}
      </Answer>
    </Panel>
  )
}

function OneRecord(props: { connection_id: string; stream: string; record_key: string }) {
  const { connection_id, stream, record_key } = props
  const hub = useHub()
  const asked = useQuery(recordOfQuery(hub, connection_id, stream, record_key))
  return (
    <Panel
      title="One record"
      aside={
        <Link
          to={FROM}
          params={{ connection_id }}
          search={({ vault, stream: kept, q }) => ({
            ...(vault && { vault }),
            view: 'records' as const,
            ...(kept && { stream: kept }),
            ...(q && { q }),
          })}
        >
          Close
        </Link>
      }
    >
      <Answer of={asked}>
        {({ key, updated_at, data }) => (
          <div className="source">
            <p>
              <b>
                <Name text={key} />
              </b>{' '}
              <span className="soft">
                in <Name text={stream} />, <Ago at={updated_at} suffix=" ago" />
              </span>
            </p>
            <Foreign block by="the source" text={JSON.stringify(data, null, 2)} />
          </div>
        )}
      </Answer>
    </Panel>
  )
}
