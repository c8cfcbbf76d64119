import './inbox.css'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isTyping } from '../../frame/keys'
import { useNeeds } from '../../needs/use-needs'
import { ChangedPin } from './changed-pin'
import { Decided } from './decided'
import { Entries } from './entries'
import { HeldCall } from './held-call'
import { AlertItem, FindingItem, LetterItem } from './other-items'
import { Proposal } from './proposal'
import { RequestItem } from './request-item'

/** What do I decide, and what would it change? The list at the left, one thing at the right. */
export function Inbox() {
  const { item, done } = useSearch({ from: '/inbox' })
  const navigate = useNavigate({ from: '/inbox' })
  const needs = useNeeds()
  const keys = needs.items.map(({ key }) => key)
  // Decided or gone meanwhile: what is open stays open until somebody chooses another.
  const shown = item ?? (done ? undefined : keys[0])
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (event.key === 'a') return approveIn(event.target)
      const step = event.key === 'j' ? 1 : event.key === 'k' ? -1 : 0
      const place = keys.indexOf(shown ?? '')
      const next = step === 0 ? undefined : keys[Math.min(Math.max(place + step, 0), keys.length - 1)]
      if (next !== undefined) void navigate({ search: (search) => ({ ...search, item: next }) })
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [keys, shown, navigate])
  return (
    <div className={`inbox ${item === undefined ? '' : 'with-item'}`}>
      <section className="inbox-list" aria-label="What waits">
        <header>
          <h1>Inbox</h1>
          <div className="choice" role="group" aria-label="Which">
            <button
              type="button"
              aria-pressed={!done}
              onClick={() => void navigate({ search: ({ vault }) => ({ ...(vault && { vault }) }) })}
            >
              Open {needs.isComplete && needs.items.length}
            </button>
            <button
              type="button"
              aria-pressed={done === true}
              onClick={() =>
                void navigate({ search: ({ vault }) => ({ ...(vault && { vault }), done: true }) })
              }
            >
              Decided
            </button>
          </div>
        </header>
        {done ? <Decided shown={shown} /> : <Entries needs={needs} shown={shown} />}
      </section>
      <section className="inbox-item" aria-label="What is open">
        {item !== undefined && (
          <button
            type="button"
            className="link back"
            onClick={() => void navigate({ search: ({ item: _item, ...kept }) => kept })}
          >
            ‹ All that waits
          </button>
        )}
        {shown === undefined ? (
          <p className="empty">{done ? 'Choose one to read it again.' : 'Nothing waits for you.'}</p>
        ) : (
          <Item key={shown} item={shown} />
        )}
      </section>
    </div>
  )
}

/** Nothing that opens has a key of its own: this one counts only for who stands in the decision already. */
function approveIn(target: EventTarget | null): void {
  const decision = target instanceof Element ? target.closest('.decision') : null
  decision?.querySelector<HTMLButtonElement>('.button.main')?.click()
}

function Item({ item }: { item: string }) {
  const cut = item.indexOf(':')
  const [kind, id] = [item.slice(0, cut), item.slice(cut + 1)]
  if (kind === 'proposal') return <Proposal proposal_id={id} />
  if (kind === 'call') return <HeldCall approval_id={id} />
  if (kind === 'pin') return <ChangedPin review_id={id} />
  if (kind === 'request') return <RequestItem request_id={id} />
  if (kind === 'alert') return <AlertItem agent_id={id} />
  if (kind === 'finding') return <FindingItem subject={id} />
  if (kind === 'letter') return <LetterItem dead_letter_id={id} />
  return <p className="empty">There is nothing of this kind.</p>
}
