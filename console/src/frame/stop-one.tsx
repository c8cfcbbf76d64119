import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useHub } from '../api/hub'
import { recordsQuery, seatsQuery } from '../api/queries'
import type { components } from '../api/schema'
import { useNow } from '../live/now'
import { Icon } from '../parts/icon'
import { Ago } from '../parts/time'
import { Name } from '../parts/words'

type Lock = components['schemas']['Lock']
const LATELY_MS = 60 * 60_000
const RECORDS_READ = 200
const SHOWN = 5
/** Whom nobody stops: the owner is not shut out, and a stranger has no name to stop. */
const OWN = ['owner_session', 'local', 'hub', 'anonymous']

/** Those who act, each with a button: a stop acts at once. */
export function StopOne(props: {
  held: readonly Lock[]
  isBusy: boolean
  stop: (what: { kind: Lock['kind']; id: string }) => void
}) {
  const { held, isBusy, stop } = props
  const hub = useHub()
  const now = useNow()
  const records = useQuery(recordsQuery(hub, { hide_own_reads: true, limit: RECORDS_READ })).data?.records
  const seats = useQuery(seatsQuery(hub)).data?.sessions
  const isHeld = (kind: Lock['kind'], id: string) => held.some((lock) => lock.kind === kind && lock.id === id)
  const lately = (records ?? []).filter(
    ({ at, caller_kind }) => !OWN.includes(caller_kind) && now - Date.parse(at) < LATELY_MS,
  )
  const callers = [...new Map(lately.toReversed().map((record) => [record.caller_id, record])).values()]
    .toSorted((one, other) => other.seq - one.seq)
    .filter(({ caller_id }) => !isHeld('agent', caller_id))
  const live = (seats ?? []).filter(
    ({ revoked_at, expires_at }) => revoked_at === null && Date.parse(expires_at) > now,
  )
  const services = [...new Set(live.map(({ service_root }) => service_root))].filter(
    (service) => !isHeld('service', service),
  )
  if (callers.length + services.length === 0) return null
  const act = (kind: Lock['kind'], id: string) => (
    <button type="button" className="button danger" disabled={isBusy} onClick={() => stop({ kind, id })}>
      <Icon name="stop" /> Stop<span className="unseen"> {id}</span>
    </button>
  )
  return (
    <>
      <h3 className="small soft">Stop one</h3>
      <ul className="stop-list">
        {callers.slice(0, SHOWN).map(({ caller_id, at, outcome, surface }) => (
          <Row key={caller_id} icon="agents" name={caller_id} act={act('agent', caller_id)}>
            agent over {surface}, {outcome === 'denied' ? 'refused' : 'called'} <Ago at={at} suffix=" ago" />
          </Row>
        ))}
        {services.slice(0, SHOWN).map((service) => {
          const count = live.filter(({ service_root }) => service_root === service).length
          return (
            <Row key={service} icon="seat" name={service} act={act('service', service)}>
              service, {count} {count === 1 ? 'seat' : 'seats'}
            </Row>
          )
        })}
      </ul>
    </>
  )
}

function Row(props: { icon: 'agents' | 'seat'; name: string; act: ReactNode; children: ReactNode }) {
  return (
    <li>
      <Icon name={props.icon} />
      <div>
        <b>
          <Name text={props.name} />
        </b>
        <span className="small soft">{props.children}</span>
      </div>
      {props.act}
    </li>
  )
}
