import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import { pinReviewQuery } from '../../api/policy-queries'
import { Ask } from '../../parts/ask'
import { DefinitionWords } from '../../parts/definition-words'
import { Id } from '../../parts/id'
import { Answer, Fault } from '../../parts/panel'
import { Status } from '../../parts/status'
import { Ago } from '../../parts/time'

const FINDINGS = {
  changed: 'Its server says something else of it than what you reviewed.',
  listed_twice: 'Its server lists two tools of this name.',
  missing: 'Its server does not list it any more.',
  unreadable: 'What its server says of it cannot be read.',
} as const

/** A tool that is closed because it is no longer what was reviewed. The others of its server go on. */
export function ChangedPin({ review_id }: { review_id: string }) {
  const hub = useHub()
  const asked = useQuery(pinReviewQuery(hub, review_id))
  return (
    <Answer of={asked} rows={8}>
      {(review) => (
        <>
          <article className="reading">
            <h2 className="item-title">
              <code>{review.tool_id}</code> is not what you pinned
            </h2>
            <p className="lead">
              {FINDINGS[review.finding]} It is closed since <Ago at={review.opened_at} suffix=" ago" />; the
              other tools go on. <Id id={review.review_id} />
            </p>
            {review.state !== 'open' && (
              <Status state={review.state === 'accepted' ? 'allowed' : 'off'}>{review.state}</Status>
            )}
            <section className="panel" aria-label="What differs">
              <DefinitionWords reviewed={review.reviewed} found={review.found} marks={review.marks} />
            </section>
          </article>
          {review.state === 'open' && (
            <Decision review_id={review_id} digest={review.digest} canAccept={review.finding === 'changed'} />
          )}
        </>
      )}
    </Answer>
  )
}

function Decision({
  review_id,
  digest,
  canAccept,
}: {
  review_id: string
  digest: string
  canAccept: boolean
}) {
  const { client } = useHub()
  const queries = useQueryClient()
  const [isAsked, setAsked] = useState(false)
  const params = { path: { review_id } }
  const onSettled = () =>
    queries.invalidateQueries({ predicate: ({ queryKey }) => /pin_review|policy/.test(String(queryKey[0])) })
  const keep = useMutation({
    mutationFn: () =>
      answerOf(client.POST('/v1/owner/provider-reviews/{review_id}/keep', { params, body: { digest } })),
    onSettled,
  })
  const accept = useMutation({
    mutationFn: () =>
      answerOf(client.POST('/v1/owner/provider-reviews/{review_id}/accept', { params, body: { digest } })),
    onSuccess: () => setAsked(false),
    onSettled,
  })
  return (
    <footer className="decision">
      <p className="small soft">
        You decide about exactly this difference, <code>{digest.slice(0, 13)}…</code>.
      </p>
      {keep.error && <Fault error={keep.error} />}
      <div className="acts">
        <button type="button" className="button" disabled={keep.isPending} onClick={() => keep.mutate()}>
          Keep it closed
        </button>
        <button type="button" className="button main" disabled={!canAccept} onClick={() => setAsked(true)}>
          Accept the new form…
        </button>
      </div>
      {isAsked && (
        <Ask
          title="Accept what the server says now?"
          yes="Accept it"
          error={accept.error}
          isBusy={accept.isPending}
          onYes={() => accept.mutate()}
          close={() => setAsked(false)}
        >
          <p>The tool is pinned to the new form and works again, for grants that include it.</p>
        </Ask>
      )}
    </footer>
  )
}
