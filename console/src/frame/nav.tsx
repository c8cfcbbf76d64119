import { Link } from '@tanstack/react-router'
import { useId } from 'react'
import { useHub } from '../api/hub'
import { useNeeds } from '../needs/use-needs'
import { Icon } from '../parts/icon'
import { PLACES, type Place, SETTINGS } from './places'
import { VaultChoice } from './vault-choice'

const ON_PHONE = 4

/** The way around, at the side. The line beside it is the gate: crimson while everything is stopped. */
export function Nav() {
  const groups = [...new Set(PLACES.map(({ group }) => group))]
  return (
    <aside className="nav" aria-label="Around">
      <span className="brand">
        <img src="/icon.svg" alt="" width="20" height="20" />
        <b>Knowtation</b>
      </span>
      <VaultChoice />
      <nav aria-label="Pages">
        {groups.map((group) => (
          <div key={group ?? ''}>
            {group !== undefined && <p className="nav-group">{group}</p>}
            <PlaceLinks group={group} />
          </div>
        ))}
      </nav>
      <p className="nav-foot">
        <PlaceLink place={SETTINGS} />
        <span className="tiny faint cut">{location.host}</span>
      </p>
    </aside>
  )
}

function PlaceLinks({ group }: { group: string | undefined }) {
  return PLACES.filter((place) => place.group === group).map((place) => (
    <PlaceLink key={place.to} place={place} />
  ))
}

function PlaceLink({ place: { to, name, icon } }: { place: Place }) {
  const { vault } = useHub()
  return (
    <Link
      to={to}
      search={vault === 'default' ? {} : { vault }}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      activeProps={{ className: 'is-here', 'aria-current': 'page' }}
    >
      <Icon name={icon} /> {name} {to === '/inbox' && <InboxCount />}
    </Link>
  )
}

/** How many things wait, in sight on every page. */
function InboxCount() {
  const { items } = useNeeds()
  if (items.length === 0) return null
  return (
    <span className="count">
      {items.length} <span className="unseen">wait for you</span>
    </span>
  )
}

/** The same at the foot of a phone; what has no room there is behind More. */
export function PhoneBar() {
  const more = useId()
  return (
    <nav className="phone-bar" aria-label="Pages">
      {PLACES.slice(0, ON_PHONE).map((place) => (
        <PlaceLink key={place.to} place={place} />
      ))}
      <button type="button" popoverTarget={more}>
        <Icon name="more" /> More
      </button>
      <div id={more} popover="auto" className="more-places" onClick={closePopover}>
        {[...PLACES.slice(ON_PHONE), SETTINGS].map((place) => (
          <PlaceLink key={place.to} place={place} />
        ))}
      </div>
    </nav>
  )
}

function closePopover({ currentTarget }: { currentTarget: HTMLElement }) {
  currentTarget.hidePopover()
}
