import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useId } from 'react'
import { isSignedOut, Refused } from '../api/client'
import { Status } from './status'

/** A box with a heading. */
export function Panel(props: {
  title: string
  note?: ReactNode
  aside?: ReactNode
  children: ReactNode
  className?: string
}) {
  const id = useId()
  return (
    <section className={`panel ${props.className ?? ''}`} aria-labelledby={id}>
      <header className="panel-head">
        <h2 id={id}>{props.title}</h2>
        {props.note !== undefined && <span className="small faint">{props.note}</span>}
        {props.aside !== undefined && <span className="panel-aside">{props.aside}</span>}
      </header>
      {props.children}
    </section>
  )
}

/**
 * What an answer shows. Empty, loading, refused and locked are four different things: what could not be read is never
 * shown as "none".
 */
export function Answer<Data>(props: {
  of: UseQueryResult<Data>
  children: (data: Data) => ReactNode
  /** What is said where there is nothing; false where there is something. */
  empty?: (data: Data) => string | false
  rows?: number
}) {
  const { data, error, isPending, refetch } = props.of
  const fault = error && <Fault error={error} retry={() => void refetch()} />
  if (data === undefined) return isPending && !error ? <Skeleton rows={props.rows ?? 3} /> : fault
  const nothing = props.empty?.(data) || undefined
  return (
    <>
      {fault}
      {nothing === undefined ? props.children(data) : <div className="empty">{nothing}</div>}
    </>
  )
}

export function Fault({ error, retry }: { error: Error; retry?: () => void }) {
  if (isSignedOut(error)) return <SignInAgain />
  const { code, hint } = error instanceof Refused ? error : { code: 'ERROR', hint: undefined }
  return (
    <div className="fault" role="alert">
      <Status state="failed">{error.message}</Status> <code className="small">{code}</code>
      {hint !== undefined && <p className="small">{hint}</p>}
      {retry && (
        <button type="button" className="button quiet" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  )
}

/** The session is over. What was typed stays, for the sign-in is in another tab. */
export function SignInAgain() {
  return (
    <div className="fault" role="alert">
      <Status state="stopped">You are signed out.</Status>{' '}
      <a className="button" href="/owner/sign-in" target="_blank" rel="noreferrer">
        Sign in in a new tab
      </a>{' '}
      <span className="small faint">Then try again here: nothing that you typed is lost.</span>
    </div>
  )
}

function Skeleton({ rows }: { rows: number }) {
  return (
    <div className="skeleton" aria-busy="true">
      <span className="unseen">Loading</span>
      {Array.from({ length: rows }, (_, at) => (
        <i key={at} />
      ))}
    </div>
  )
}
