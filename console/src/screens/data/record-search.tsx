import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { type FormEvent, type ReactNode, useState } from 'react'
import { useHub } from '../../api/hub'
import { recordSearchQuery } from '../../api/source-queries'
import { Answer, Panel } from '../../parts/panel'
import { Status } from '../../parts/status'
import { Foreign, Name } from '../../parts/words'

export const FROM = '/data/sources/$connection_id'
export const EXCERPT_CHARS = 240

/** The way to one record; what was looked for stays. */
export function RecordLink(props: {
  connection_id: string
  stream: string
  record?: string
  children: ReactNode
}) {
  const { connection_id, stream, record, children } = props
  return (
    <Link
      to={FROM}
      params={{ connection_id }}
      search={({ vault, q }) => ({
        ...(vault && { vault }),
        ...(record !== undefined && q && { q }),
        view: 'records' as const,
        stream,
        ...(record !== undefined && { key: record }),
      })}
    >
      {children}
    </Link>
  )
}

export function SearchBox({ q = '' }: { q: string | undefined }) {
  const navigate = useNavigate({ from: FROM })
  const [typed, setTyped] = useState(q)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const wanted = typed.trim()
    void navigate({
      to: '.',
      search: ({ vault, stream }) => ({
        ...(vault && { vault }),
        view: 'records' as const,
        ...(stream && { stream }),
        ...(wanted && { q: wanted }),
      }),
    })
  }
  return (
    <form className="record-search" role="search" onSubmit={submit}>
      <input
        type="search"
        aria-label="Search what was collected"
        placeholder="Search what was collected"
        value={typed}
        maxLength={400}
        onChange={({ target }) => setTyped(target.value)}
      />
      <button type="submit" className="button">
        Search
      </button>
    </form>
  )
}

/** What was found in all streams of a source. */
export function Found({ connection_id, q }: { connection_id: string; q: string }) {
  const hub = useHub()
  const found = useQuery(recordSearchQuery(hub, connection_id, q))
  return (
    <Panel
      title={`Found for “${q}”`}
      note="the best first"
      aside={
        <Link
          to="."
          search={({ vault, stream }) => ({
            ...(vault && { vault }),
            view: 'records' as const,
            ...(stream && { stream }),
          })}
        >
          Back to the list
        </Link>
      }
    >
      <Answer
        of={found}
        empty={({ data, is_complete }) =>
          data.length === 0 && is_complete && 'No record has these words or says the like.'
        }
      >
        {({ data, is_complete }) => (
          <>
            {!is_complete && (
              <p className="note">
                <Status state="warning">Not all was looked through yet.</Status> Search again in a moment.
              </p>
            )}
            <ul className="rows">
              {data.map(({ stream, key, title, excerpt }, place) => (
                <li key={`${stream} ${key} ${place}`} className="hit">
                  <p>
                    {key === null ? (
                      <span className="faint">key hidden: it looks like a secret</span>
                    ) : (
                      <RecordLink connection_id={connection_id} stream={stream} record={key}>
                        <Name text={title || key} />
                      </RecordLink>
                    )}{' '}
                    <span className="small faint">
                      <Name text={stream} />
                    </span>
                  </p>
                  <Foreign text={excerpt.slice(0, EXCERPT_CHARS)} />
                </li>
              ))}
            </ul>
          </>
        )}
      </Answer>
    </Panel>
  )
}
