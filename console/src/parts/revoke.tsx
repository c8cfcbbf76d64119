import { type ReactNode, useState } from 'react'
import { useAct } from './act'
import { Ask } from './ask'

/** A button that ends something for good: it asks first, and says what will happen. */
export function Revoke(props: {
  word: string
  title: ReactNode
  yes: string
  /** The reads that show it, by the names of their operations. */
  shownBy: string | readonly string[]
  act: () => Promise<unknown>
  children: ReactNode
}) {
  const { word, title, yes, shownBy, act, children } = props
  const [isAsked, setAsked] = useState(false)
  const revoke = useAct(act, [shownBy].flat(), () => setAsked(false))
  return (
    <>
      <button type="button" className="button danger" onClick={() => setAsked(true)}>
        {word}…
      </button>
      {isAsked && (
        <Ask
          title={title}
          yes={yes}
          danger
          error={revoke.error}
          isBusy={revoke.isPending}
          onYes={() => revoke.mutate()}
          close={() => setAsked(false)}
        >
          <p>{children}</p>
        </Ask>
      )}
    </>
  )
}
