import { Link } from '@tanstack/react-router'
import { useHub } from '../api/hub'
import { useNeeds } from '../needs/use-needs'
import { Icon } from '../parts/icon'
import { PLACES } from './places'
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
        <a href="/owner">
          <Icon name="settings" /> Account
        </a>
      </p>
    </aside>
  )
}

function PlaceLinks({ group }: { group: string | undefined }) {
  const { vault } = useHub()
  return PLACES.filter((place) => place.group === group).map(({ to, name, icon }) => (
    <Link
      key={to}
      to={to}
      search={vault === 'default' ? {} : { vault }}
      activeOptions={{ exact: to === '/', includeSearch: false }}
      activeProps={{ className: 'is-here', 'aria-current': 'page' }}
    >
      <Icon name={icon} /> {name} {to === '/inbox' && <InboxCount />}
    </Link>
  ))
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

/** The same at the foot of a phone. */
export function PhoneBar() {
  return (
    <nav className="phone-bar" aria-label="Pages">
      {PLACES.slice(0, ON_PHONE).map(({ to, name, icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === '/', includeSearch: false }}
          activeProps={{ className: 'is-here', 'aria-current': 'page' }}
        >
          <Icon name={icon} />
          <span>
            {name} {to === '/inbox' && <InboxCount />}
          </span>
        </Link>
      ))}
      <a href="/owner">
        <Icon name="more" />
        <span>Account</span>
      </a>
    </nav>
  )
}
