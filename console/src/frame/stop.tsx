import { type UseQueryResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import { answerOf } from '../api/client'
import { type Hub, useHub } from '../api/hub'
import type { components } from '../api/schema'
import { Icon } from '../parts/icon'
import { Fault } from '../parts/panel'
import { Ago } from '../parts/time'
import { Name } from '../parts/words'
import { StopOne } from './stop-one'

type Lock = components['schemas']['Lock']
type LockList = { locks: Lock[] }

/** Stops act at once; letting something go on asks first, for it opens. */
export function useLockChange() {
  const hub = useHub()
  const queries = useQueryClient()
  const onSettled = () => queries.invalidateQueries({ queryKey: ['lock_list', hub.vault] })
  const stop = useMutation({
    mutationFn: (body: { kind: Lock['kind']; id?: string; reason?: string }) =>
      answerOf(hub.client.POST('/api/v1/locks', { body })),
    onSettled,
  })
  const release = useMutation({ mutationFn: (lock: Lock) => releaseLock(hub, lock), onSettled })
  return { stop, release }
}

function releaseLock({ client }: Hub, { kind, id }: Lock) {
  const query = kind === 'all' ? {} : { id }
  return answerOf(client.DELETE('/api/v1/locks/{kind}', { params: { path: { kind }, query } }))
}

export function StoppedBanner({ lock }: { lock: Lock }) {
  return (
    <div className="stopped" role="alert">
      <Icon name="stop" />
      <p>
        <b>Everything is stopped</b> since <Ago at={lock.locked_at} suffix=" ago" />, by{' '}
        <Name text={lock.locked_by} />
        {lock.reason !== null && (
          <>
            : “<Name text={lock.reason} />”
          </>
        )}
        . You can look at all of it. No agent, source or engine acts.
      </p>
      <LetGoOn lock={lock} />
    </div>
  )
}

/** The button on every page, and what it opens. */
export function Stop(props: {
  locks: UseQueryResult<LockList>
  isOpen: boolean
  setOpen: (isOpen: boolean) => void
}) {
  const { locks, isOpen, setOpen } = props
  const isStopped = locks.data?.locks.some(({ kind }) => kind === 'all') ?? false
  return (
    <div className="stop-place">
      <button
        type="button"
        className={`button stop ${isStopped ? 'is-on' : ''}`}
        aria-expanded={isOpen}
        onClick={() => setOpen(!isOpen)}
      >
        <Icon name="stop" /> {isStopped ? 'Stopped…' : 'Stop…'}
      </button>
      {isOpen && <StopPanel locks={locks} close={() => setOpen(false)} />}
    </div>
  )
}

function StopPanel({ locks, close }: { locks: UseQueryResult<LockList>; close: () => void }) {
  const { stop } = useLockChange()
  const [reason, setReason] = useState('')
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  const held = locks.data?.locks ?? []
  const isAll = held.some(({ kind }) => kind === 'all')
  const stopAll = () => {
    const why = reason.trim()
    // What is stopped is told by the banner from then on.
    stop.mutate({ kind: 'all', ...(why !== '' && { reason: why }) }, { onSuccess: close })
  }
  return (
    <section className="float stop-panel" aria-label="Stop">
      <div className="panel-top">
        <h2 tabIndex={-1} ref={heading}>
          {isAll ? 'What is stopped' : 'Stop everything?'}
        </h2>
        <kbd>Shift S</kbd>
      </div>
      <p className="small soft">A stop acts at once, everywhere. Letting it go on asks you first.</p>
      {locks.error && <Fault error={locks.error} />}
      {stop.error && <Fault error={stop.error} />}
      {!isAll && (
        <div className="stop-all">
          <label>
            Why, for whoever lets it go on
            <input value={reason} maxLength={200} onChange={(event) => setReason(event.target.value)} />
          </label>
          <button type="button" className="button danger" disabled={stop.isPending} onClick={stopAll}>
            <Icon name="stop" /> Stop everything
          </button>
        </div>
      )}
      <ul className="stop-list">
        {held.map((lock) => (
          <li key={`${lock.kind} ${lock.id}`}>
            <Icon name={lock.kind === 'all' ? 'stop' : lock.kind === 'agent' ? 'agents' : 'seat'} />
            <div>
              <b>{lock.kind === 'all' ? 'Everything' : <Name text={lock.id} />}</b>
              <span className="small soft">
                {lock.kind}, <Ago at={lock.locked_at} suffix=" ago" />
                {lock.reason !== null && (
                  <>
                    : “<Name text={lock.reason} />”
                  </>
                )}
              </span>
            </div>
            <LetGoOn lock={lock} />
          </li>
        ))}
      </ul>
      <StopOne held={held} isBusy={stop.isPending} stop={(what) => stop.mutate(what)} />
      <footer className="small soft">
        Without this page: <code>knowtation lock all</code>
        <button type="button" className="button quiet" onClick={close}>
          Close
        </button>
      </footer>
    </section>
  )
}

export function LetGoOn({ lock }: { lock: Lock }) {
  const { release } = useLockChange()
  const [isAsked, setAsked] = useState(false)
  if (!isAsked)
    return (
      <button type="button" className="button" onClick={() => setAsked(true)}>
        Let it go on…
      </button>
    )
  return (
    <span className="ask-again">
      {release.error && <Fault error={release.error} />}
      <button type="button" className="button" onClick={() => setAsked(false)}>
        Leave it stopped
      </button>
      <button
        type="button"
        className="button"
        disabled={release.isPending}
        onClick={() => release.mutate(lock)}
      >
        Yes, let it go on
      </button>
    </span>
  )
}
