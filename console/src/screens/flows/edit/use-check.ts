import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { answerOf, Refused } from '../../../api/client'
import { useHub } from '../../../api/hub'
import { type Draft, type Fault, faultIn } from './draft'

/** How long somebody has to pause before what was typed is checked. */
const PAUSE_MS = 350

export interface Check {
  readonly state: 'checking' | 'good' | 'bad' | 'unknown'
  readonly fault: Fault | undefined
  readonly error: Error | null
}

/** What the hub says of a draft while it is typed. */
export function useCheck(draft: Draft): Check {
  const { vault, client } = useHub()
  const [settled, setSettled] = useState(draft)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(draft), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [draft])
  const { data, error, isFetching } = useQuery({
    queryKey: ['flow_check', vault, settled],
    queryFn: ({ signal }) =>
      answerOf(client.POST('/api/v1/flows/check', { body: { bundle: { ...settled } }, signal })),
    gcTime: 0,
  })
  if (settled !== draft || isFetching) return { state: 'checking', fault: undefined, error: null }
  if (error instanceof Refused && error.code === 'FLOW_DRAFT_INVALID')
    return { state: 'bad', fault: faultIn(error.message), error: null }
  if (error) return { state: 'unknown', fault: undefined, error }
  return { state: data ? 'good' : 'checking', fault: undefined, error: null }
}
