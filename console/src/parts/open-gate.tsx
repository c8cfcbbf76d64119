import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answerOf } from '../api/client'
import { useHub } from '../api/hub'
import { Ask } from './ask'

/** The button that opens a gate in the policy: it asks first, and says what will count. */
export function OpenGate({ gate, setting, revision }: { gate: string; setting: string; revision: string }) {
  const { client } = useHub()
  const queries = useQueryClient()
  const [isAsked, setAsked] = useState(false)
  const open = useMutation({
    mutationFn: () =>
      answerOf(
        client.POST('/v1/owner/policy/gates/{gate}/open', {
          params: { path: { gate: gate as 'external_agent' } },
          body: { base_revision: revision },
        }),
      ),
    onSuccess: () => setAsked(false),
    onSettled: () =>
      queries.invalidateQueries({
        predicate: ({ queryKey }) => /policy|doctor|grant/.test(String(queryKey[0])),
      }),
  })
  return (
    <>
      <button type="button" className="button" onClick={() => setAsked(true)}>
        Open…
      </button>
      {isAsked && (
        <Ask
          title={`Open the gate ${gate.replaceAll('_', ' ')}?`}
          yes="Open it"
          error={open.error}
          isBusy={open.isPending}
          onYes={() => open.mutate()}
          close={() => setAsked(false)}
        >
          <p>
            <code>{setting}</code> is set in the policy. It counts from the next call, and stays in the
            history of the policy.
          </p>
        </Ask>
      )}
    </>
  )
}
