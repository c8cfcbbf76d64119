import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import { Ask } from '../../parts/ask'
import type { Review } from './review'

type Question = 'approve' | 'discard' | 'evaluate'

/** The decision, always in sight. It counts for the draft that was shown, and asks before it opens. */
export function ProposalDecision({
  review,
  seen,
  changes,
}: {
  review: Review
  seen: number
  changes: number
}) {
  const [question, setQuestion] = useState<Question>()
  const { proposal, draft_digest, is_current } = review
  if (proposal.status !== 'proposed') return null
  const digest = `${draft_digest.slice(0, 13)}…${draft_digest.slice(-4)}`
  return (
    <footer className="decision">
      <p className="small">
        <b>
          {seen} of {changes} changes seen
        </b>{' '}
        <span className="soft">
          You decide about exactly this draft, <code>{digest}</code>. If it changes, the decision does not
          count.
        </span>
      </p>
      <div className="acts">
        <button type="button" className="button quiet" onClick={() => setQuestion('discard')}>
          Discard…
        </button>
        <button type="button" className="button" onClick={() => setQuestion('evaluate')}>
          Ask for changes…
        </button>
        <button
          type="button"
          className="button main"
          disabled={!is_current}
          onClick={() => setQuestion('approve')}
        >
          Approve {proposal.flow_version}…
        </button>
      </div>
      {question === 'approve' && <Approve review={review} close={() => setQuestion(undefined)} />}
      {question === 'discard' && <Discard review={review} close={() => setQuestion(undefined)} />}
      {question === 'evaluate' && <AskForChanges review={review} close={() => setQuestion(undefined)} />}
    </footer>
  )
}

interface Props {
  review: Review
  close: () => void
}

function useDecision<Input>(decide: (input: Input) => Promise<unknown>, close: () => void) {
  const queries = useQueryClient()
  return useMutation({
    mutationFn: decide,
    onSuccess: async () => {
      await queries.invalidateQueries({
        predicate: ({ queryKey }) => String(queryKey[0]).startsWith('proposal_'),
      })
      close()
    },
  })
}

function Approve({ review, close }: Props) {
  const { client } = useHub()
  const { proposal, draft_digest, power } = review
  const [waiver, setWaiver] = useState('')
  const needsWaiver = !['none', 'passed'].includes(proposal.evaluation_status)
  const path = { proposal_id: proposal.proposal_id }
  const approve = useDecision(
    () =>
      answerOf(
        client.POST('/api/v1/proposals/{proposal_id}/approve', {
          params: { path },
          body: { digest: draft_digest, ...(needsWaiver && { waiver_reason: waiver }) },
        }),
      ),
    close,
  )
  const opens = power.filter((one) => one.opens).length
  return (
    <Ask
      title={`Approve ${proposal.flow_id} ${proposal.flow_version}?`}
      yes={`Approve ${proposal.flow_version}`}
      error={approve.error}
      isBusy={approve.isPending}
      isReady={!needsWaiver || waiver.trim().length >= 3}
      onYes={() => approve.mutate(undefined)}
      close={close}
    >
      <p>
        It becomes the newest version of the flow, for good. Grants that are out stay at the version that they
        were minted for.
      </p>
      {opens > 0 && (
        <p className="tone-no">
          It opens {opens} {opens === 1 ? 'thing' : 'things'}: look at the list on top once more.
        </p>
      )}
      <p className="small">
        Draft <code className="breaks">{draft_digest}</code>
      </p>
      {needsWaiver && (
        <label className="field">
          It did not pass its evaluation. Why do you approve it nonetheless?
          <textarea
            value={waiver}
            rows={3}
            maxLength={2000}
            onChange={({ target }) => setWaiver(target.value)}
          />
        </label>
      )}
    </Ask>
  )
}

function Discard({ review: { proposal }, close }: Props) {
  const { client } = useHub()
  const path = { proposal_id: proposal.proposal_id }
  const discard = useDecision(
    () => answerOf(client.POST('/api/v1/proposals/{proposal_id}/discard', { params: { path } })),
    close,
  )
  return (
    <Ask
      title="Discard this proposal?"
      yes="Discard it"
      danger
      error={discard.error}
      isBusy={discard.isPending}
      onYes={() => discard.mutate(undefined)}
      close={close}
    >
      <p>The flow stays as it is. The proposal can still be read, but no longer approved.</p>
    </Ask>
  )
}

function AskForChanges({ review: { proposal }, close }: Props) {
  const { client } = useHub()
  const [comment, setComment] = useState('')
  const path = { proposal_id: proposal.proposal_id }
  const evaluate = useDecision(
    () =>
      answerOf(
        client.POST('/api/v1/proposals/{proposal_id}/evaluation', {
          params: { path },
          body: { outcome: 'needs_changes', comment: comment.trim() },
        }),
      ),
    close,
  )
  return (
    <Ask
      title="Ask for changes"
      yes="Send it back"
      error={evaluate.error}
      isBusy={evaluate.isPending}
      isReady={comment.trim() !== ''}
      onYes={() => evaluate.mutate(undefined)}
      close={close}
    >
      <p>
        Its author reads your words with the proposal. It stays open, and is approved only with a reason until
        it passes.
      </p>
      <label className="field">
        What has to change
        <textarea
          value={comment}
          rows={5}
          maxLength={4000}
          onChange={({ target }) => setComment(target.value)}
        />
      </label>
    </Ask>
  )
}
