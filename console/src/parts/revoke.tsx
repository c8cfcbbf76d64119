import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'
import { Ask } from './ask'

/** A button that ends something for good: it asks first, and says what will happen. */
export function Revoke(props: {
  word: string
  title: ReactNode
  yes: string
  /** The reads that show it, by the name of their operation. */
  shownBy: string
  act: () => Promise<unknown>
  children: ReactNode
}) {
  const { word, title, yes, shownBy, act, children } = props
  const [isAsked, setAsked] = useState(false)
  const queries = useQueryClient()
  const revoke = useMutation({
    mutationFn: act,
    onSuccess: () => setAsked(false),
    onSettled: () => queries.invalidateQueries({ queryKey: [shownBy] }),
  })
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
