import { useMutation, useQueryClient } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Fault } from './panel'

/** Does something, and has the reads made again that show it, by the names of their operations. */
export function useAct<Answer, Given = void>(
  act: (given: Given) => Promise<Answer>,
  shownBy: readonly string[],
  then?: (answer: Answer) => void,
) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: act,
    ...(then && { onSuccess: then }),
    onSettled: () =>
      Promise.all(shownBy.map((operation) => queries.invalidateQueries({ queryKey: [operation] }))),
  })
}

/** A button that acts at once: it takes nothing away and opens nothing. */
export function Act(props: {
  act: () => Promise<unknown>
  shownBy: readonly string[]
  children: ReactNode
  kind?: 'main'
}) {
  const { act, shownBy, children, kind } = props
  const doing = useAct(act, shownBy)
  return (
    <>
      <button
        type="button"
        className={`button ${kind ?? ''}`}
        disabled={doing.isPending}
        onClick={() => doing.mutate()}
      >
        {children}
      </button>
      {doing.error && <Fault error={doing.error} />}
    </>
  )
}
