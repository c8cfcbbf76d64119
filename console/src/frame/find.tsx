import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { useHub } from '../api/hub'
import { grantsQuery, recordsQuery } from '../api/queries'
import { Icon, type IconName } from '../parts/icon'
import { Name } from '../parts/words'
import { ALL_PLACES } from './places'

interface Found {
  readonly name: string
  readonly note: string
  readonly icon: IconName
  readonly to: string
  readonly search?: object
}

const SHOWN = 9

/** Pages and things by a few letters of their names. */
export function Find({ close }: { close: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null)
  const navigate = useNavigate()
  const [typed, setTyped] = useState('')
  const [at, setAt] = useState(0)
  const found = useFound(typed)
  useEffect(() => dialog.current?.showModal(), [])
  const go = (one: Found | undefined) => {
    if (!one) return
    close()
    void navigate({ to: one.to, search: one.search ?? {} })
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') go(found[at])
    else if (event.key === 'ArrowDown') setAt(Math.min(at + 1, found.length - 1))
    else if (event.key === 'ArrowUp') setAt(Math.max(at - 1, 0))
    else return
    event.preventDefault()
  }
  return (
    <dialog ref={dialog} className="find" onClose={close} aria-label="Find">
      <input
        aria-label="Find a page, flow, grant, agent or record"
        placeholder="A page, flow, grant, agent, or the number of a record"
        value={typed}
        onKeyDown={press}
        onChange={(event) => {
          setTyped(event.target.value)
          setAt(0)
        }}
      />
      <ul role="listbox" aria-label="Found">
        {found.map((one, place) => (
          <li key={`${one.to} ${one.name} ${one.note}`} role="option" aria-selected={place === at}>
            <button type="button" tabIndex={-1} onClick={() => go(one)}>
              <Icon name={one.icon} /> <Name text={one.name} />{' '}
              <span className="small faint">{one.note}</span>
            </button>
          </li>
        ))}
      </ul>
      {found.length === 0 && <p className="empty">Nothing here has “{typed}” in its name.</p>}
    </dialog>
  )
}

function useFound(typed: string): Found[] {
  const hub = useHub()
  const grants = useQuery(grantsQuery(hub)).data?.grants ?? []
  const records = useQuery(recordsQuery(hub, { hide_own_reads: true, limit: 200 })).data?.records ?? []
  const wanted = typed.trim().toLowerCase()
  const vault = hub.vault === 'default' ? {} : { vault: hub.vault }
  const pages: Found[] = ALL_PLACES.map(({ to, name, icon }) => ({
    to,
    name,
    icon,
    note: 'page',
    search: vault,
  }))
  const activity = { to: '/activity', icon: 'activity' as const }
  const agents = [...new Set(records.map(({ caller_id }) => caller_id))].map((name) => ({
    ...activity,
    name,
    note: 'its calls',
    search: { ...vault, called_by: name },
  }))
  const held = grants.map(({ grant_id, flow_id, flow_version }) => ({
    ...activity,
    icon: 'agents' as const,
    name: grant_id,
    note: `grant of ${flow_id} ${flow_version}`,
    search: { ...vault, grant: grant_id },
  }))
  const record = /^\d+$/.test(wanted)
    ? [{ ...activity, name: `Record ${wanted}`, note: 'open', search: { ...vault, record: Number(wanted) } }]
    : []
  return [...record, ...[...pages, ...agents, ...held].filter((one) => isMatch(one, wanted))].slice(0, SHOWN)
}

function isMatch({ name, note }: Found, wanted: string): boolean {
  return `${name} ${note}`.toLowerCase().includes(wanted)
}
