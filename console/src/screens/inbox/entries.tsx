import { Link } from '@tanstack/react-router'
import { NEED_GROUPS, type Need, type Needs } from '../../needs/use-needs'
import { Icon } from '../../parts/icon'
import { Fault } from '../../parts/panel'
import { Ago, Left } from '../../parts/time'

/** The entries of the inbox by what is asked of the owner. */
export function Entries({ needs, shown }: { needs: Needs; shown: string | undefined }) {
  return (
    <>
      {needs.faults.map((error) => (
        <Fault key={error.message} error={error} />
      ))}
      {needs.items.length === 0 && needs.isComplete && <p className="empty">Nothing waits.</p>}
      {NEED_GROUPS.map((group) => {
        const items = needs.items.filter((one) => one.group === group)
        if (items.length === 0) return null
        return (
          <div key={group}>
            <h2 className="inbox-group">{group}</h2>
            <ul>
              {items.map((one) => (
                <Entry key={one.key} need={one} isShown={one.key === shown} />
              ))}
            </ul>
          </div>
        )
      })}
      <p className="inbox-keys tiny faint">
        <kbd>j</kbd> <kbd>k</kbd> move <kbd>n</kbd> next change
      </p>
    </>
  )
}

function Entry({ need, isShown }: { need: Need; isShown: boolean }) {
  return (
    <li>
      <Link
        to="/inbox"
        search={({ vault }) => ({ ...(vault && { vault }), item: need.key })}
        className={`entry ${isShown ? 'is-shown' : ''}`}
        aria-current={isShown}
      >
        <span className={`tone-${need.tone}`}>
          <Icon name={need.icon} />
        </span>
        <span className="entry-words">
          <b>{need.title}</b>
          <span className="soft clamp">{need.note}</span>
        </span>
        <span className="small faint">
          {need.until !== undefined ? <Left until={need.until} /> : need.at && <Ago at={need.at} />}
        </span>
      </Link>
    </li>
  )
}
