import { type ReactNode, useEffect, useRef } from 'react'
import { Icon, type IconName } from '../../parts/icon'
import { Name } from '../../parts/words'

/** The side in which something is made, step by step; what is typed stays while the page beside it lives. */
export function StepsPanel(props: { title: string; close: () => void; children: ReactNode }) {
  const { title, close, children } = props
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => heading.current?.focus(), [])
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented) close()
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [close])
  return (
    <aside className="side steps-side" aria-label={title}>
      <header className="side-head">
        <h2 ref={heading} tabIndex={-1}>
          {title}
        </h2>
        <button type="button" className="icon-button" onClick={close} aria-label="Close">
          <Icon name="cross" />
        </button>
      </header>
      {children}
    </aside>
  )
}

/** One step: done, or to be done. */
export function Step(props: {
  number: number
  title: string
  isDone: boolean
  note?: ReactNode
  children?: ReactNode
}) {
  const { number, title, isDone, note, children } = props
  return (
    <li className={`step ${isDone ? 'is-done' : ''}`}>
      <span className="step-mark num" aria-hidden="true">
        {isDone ? <Icon name="check" /> : number}
      </span>
      <div>
        <h3>{title}</h3>
        {note !== undefined && <p className="small soft">{note}</p>}
        {children}
      </div>
    </li>
  )
}

/** One thing that is allowed, is not, or asks first. */
export interface Told {
  readonly is: 'yes' | 'no' | 'asks' | 'until' | 'ends'
  readonly text: ReactNode
}

const SIGNS: Readonly<Record<Told['is'], readonly [IconName, string, string]>> = {
  yes: ['check', 'ok', 'Allowed:'],
  asks: ['held', 'wait', 'Asks first:'],
  until: ['clock', 'wait', 'Until:'],
  no: ['cross', 'no', 'Not allowed:'],
  ends: ['refused', 'faint', 'Ends:'],
}

/** Exactly what something would allow. */
export function Allows({ told }: { told: readonly Told[] }) {
  return (
    <section className="card allows" aria-label="Exactly this is what it allows" aria-live="polite">
      <h3>
        <Icon name="eye" /> Exactly this is what it allows
      </h3>
      <ul>
        {told.map(({ is, text }, place) => {
          const [icon, tone, word] = SIGNS[is]
          return (
            <li key={place} className={is === 'ends' ? 'soft' : ''}>
              <Icon name={icon} className={`tone-${tone}`} />
              <span>
                <span className="unseen">{word} </span>
                {text}
              </span>
            </li>
          )
        })}
      </ul>
    </section>
  )
}

/** The address of the page of the hub's on which a bearer is made and shown: nothing secret stands in it. */
export function ceremonyAddress(kind: 'grant' | 'seat' | 'token', vault: string, wanted: object): string {
  const query = new URLSearchParams({
    ...(vault !== 'default' && { vault }),
    wanted: JSON.stringify(wanted),
  })
  return `/owner/new/${kind}?${query}`
}

export function ToolName({ id }: { id: string }) {
  return (
    <code>
      <Name text={id} />
    </code>
  )
}
