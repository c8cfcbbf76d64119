import { Link } from '@tanstack/react-router'
import type { Needs } from '../../needs/use-needs'
import { Icon } from '../../parts/icon'
import { Fault, Panel } from '../../parts/panel'
import { Ago, Left } from '../../parts/time'

/** What waits for the owner; each row opens it in the inbox. */
export function NeedsYou({ needs: { items, faults, isComplete } }: { needs: Needs }) {
  return (
    <Panel
      title="Needs you"
      note="most urgent first"
      aside={
        <Link to="/inbox" search={({ vault }) => ({ ...(vault && { vault }) })}>
          Open the inbox
        </Link>
      }
    >
      {faults.map((error) => (
        <Fault key={error.message} error={error} />
      ))}
      {items.length === 0 && isComplete && <p className="empty">Nothing waits for you.</p>}
      <ul className="rows">
        {items.map(({ key, icon, tone, title, note, at, until, open }) => (
          <li key={key} className="need">
            <span className={`badge tone-${tone}`}>
              <Icon name={icon} />
            </span>
            <div>
              <b>{title}</b>
              <p className="soft">{note}</p>
            </div>
            <span className="faint">
              {until !== undefined ? <Left until={until} /> : at !== undefined && <Ago at={at} />}
            </span>
            <span className="acts">
              <Link
                to="/inbox"
                search={({ vault }) => ({ ...(vault && { vault }), item: key })}
                className={`button ${until === undefined ? '' : 'main'}`}
              >
                {open}
              </Link>
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}
