import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { labelsQuery } from '../api/agent-queries'
import { useHub } from '../api/hub'
import { flowsQuery, grantsQuery, recordsQuery } from '../api/queries'
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
  const labels = useQuery(labelsQuery(hub)).data?.labels ?? []
  const flows = useQuery(flowsQuery(hub)).data?.flows ?? []
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
  const named = labels.map(({ id, label }) => ({ ...placeOf(id, vault), name: label, note: id }))
  const library = flows.map(({ flow_id, version, title }) => ({
    to: `/flows/${flow_id}`,
    icon: 'flows' as const,
    name: flow_id,
    note: `${version}, ${title}`,
    search: vault,
  }))
  const acts = ACTS.map(({ name, icon, search }) => ({
    to: '/agents',
    name,
    icon,
    note: 'do',
    search: { ...vault, ...search },
  }))
  const known = new Set(labels.map(({ id }) => id))
  const held = grants
    .filter(({ grant_id }) => !known.has(grant_id))
    .map(({ grant_id, flow_id, flow_version }) => ({
      ...activity,
      icon: 'agents' as const,
      name: grant_id,
      note: `grant of ${flow_id} ${flow_version}`,
      search: { ...vault, grant: grant_id },
    }))
  const record = /^\d+$/.test(wanted)
    ? [{ ...activity, name: `Record ${wanted}`, note: 'open', search: { ...vault, record: Number(wanted) } }]
    : []
  return [
    ...record,
    ...[...pages, ...acts, ...named, ...library, ...agents, ...held].filter((one) => isMatch(one, wanted)),
  ].slice(0, SHOWN)
}

/** What can be begun from anywhere. */
const ACTS = [
  { name: 'New grant', icon: 'plus', search: { tab: 'grants', make: 'grant' } },
  { name: 'New seat', icon: 'plus', search: { tab: 'seats', make: 'seat' } },
  { name: 'New token', icon: 'plus', search: { tab: 'tokens', make: 'token' } },
  { name: 'Connect an agent', icon: 'link', search: { tab: 'connect' } },
  { name: 'Locks and their history', icon: 'lock', search: { tab: 'locks' } },
] as const

/** Where a thing with a name is looked at: what it did. */
function placeOf(id: string, vault: object): Pick<Found, 'to' | 'icon' | 'search'> {
  const isGrant = id.startsWith('fgrnt_')
  const icon = id.startsWith('tses_') ? ('seat' as const) : ('agents' as const)
  return { to: '/activity', icon, search: { ...vault, ...(isGrant ? { grant: id } : { called_by: id }) } }
}

function isMatch({ name, note }: Found, wanted: string): boolean {
  return `${name} ${note}`.toLowerCase().includes(wanted)
}
