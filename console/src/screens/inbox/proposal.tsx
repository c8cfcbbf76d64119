import { useQuery } from '@tanstack/react-query'
import { type RefObject, useEffect, useRef, useState } from 'react'
import { useHub } from '../../api/hub'
import { proposalQuery } from '../../api/queries'
import { isTyping } from '../../frame/keys'
import { Changes, groupsOf, unchangedIn } from '../../parts/changes'
import { Id } from '../../parts/id'
import { Answer } from '../../parts/panel'
import { PowerList } from '../../parts/power-list'
import { Status } from '../../parts/status'
import { StepsInFull } from '../../parts/steps-in-full'
import { Ago } from '../../parts/time'
import { Foreign, Name } from '../../parts/words'
import { ProposalDecision } from './proposal-decision'
import type { Review } from './review'

const VIEWS = ['Changes', 'Whole flow', 'Raw'] as const

/** A proposal in the order in which it is judged: what opens, what its author says, what changes; then the decision. */
export function Proposal({ proposal_id }: { proposal_id: string }) {
  const hub = useHub()
  const asked = useQuery(proposalQuery(hub, proposal_id))
  return (
    <Answer of={asked} rows={10}>
      {(review) => <Shown key={review.draft_digest} review={review} />}
    </Answer>
  )
}

function Shown({ review }: { review: Review }) {
  const [view, setView] = useState<(typeof VIEWS)[number]>('Changes')
  const [seen, setSeen] = useState<ReadonlySet<string>>(new Set())
  const { proposal, power, diff } = review
  const groups = groupsOf(review)
  const article = useRef<HTMLElement>(null)
  useNextChange(article)
  return (
    <>
      <article className="reading" ref={article}>
        <header className="item-head">
          <div>
            <h2 className="item-title">
              {proposal.flow_id} <span className="chip">{proposal.base_version ?? 'new'}</span> →{' '}
              <span className="chip tone-ok">{proposal.flow_version}</span>
            </h2>
            <p className="soft">
              Proposed by{' '}
              <b>
                <Name text={proposal.created_by} />
              </b>
              , <Ago at={proposal.created_at} suffix=" ago" /> · <Standing review={review} />
            </p>
          </div>
          <div className="choice" role="group" aria-label="View">
            {VIEWS.map((name) => (
              <button key={name} type="button" aria-pressed={view === name} onClick={() => setView(name)}>
                {name}
              </button>
            ))}
          </div>
        </header>
        <Overtaken review={review} />
        <PowerList power={power} isNew={proposal.base_version === null} />
        <Foreign block by={proposal.created_by} text={proposal.intent} />
        {proposal.evaluation_comment !== null && (
          <Foreign block by={proposal.evaluated_by ?? 'an evaluator'} text={proposal.evaluation_comment} />
        )}
        {view === 'Changes' && (
          <Changes
            groups={groups}
            reading={{
              seen,
              setSeen(key, isSeen) {
                const next = new Set(seen)
                if (isSeen) next.add(key)
                else next.delete(key)
                setSeen(next)
              },
            }}
            unchanged={unchangedIn(review, groups)}
            isCut={diff.truncated}
          />
        )}
        {view === 'Whole flow' && <StepsInFull flow={review.flow} steps={review.steps} />}
        {view === 'Raw' && <pre className="raw foreign-text">{diff.text}</pre>}
      </article>
      <ProposalDecision review={review} seen={seen.size} changes={groups.length} />
    </>
  )
}

/** `n` and `p` lead from change to change. */
function useNextChange(article: RefObject<HTMLElement | null>) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      const step = event.key === 'n' ? 1 : event.key === 'p' ? -1 : 0
      if (step === 0) return
      const all = [...(article.current?.querySelectorAll<HTMLElement>('.change') ?? [])]
      const at = all.findIndex((one) => one.contains(document.activeElement))
      const next = all[at < 0 ? (step > 0 ? 0 : all.length - 1) : at + step]
      next?.focus({ preventScroll: true })
      next?.scrollIntoView({ block: 'center' })
    }
    addEventListener('keydown', press)
    return () => removeEventListener('keydown', press)
  }, [article])
}

function Standing({ review: { proposal, is_current } }: { review: Review }) {
  const { status, evaluation_status, decided_by, decided_at, proposal_id } = proposal
  return (
    <>
      {status === 'proposed' ? (
        <Status state={is_current ? 'intact' : 'warning'}>
          {is_current ? 'builds on the newest version' : 'the flow has moved on'}
        </Status>
      ) : (
        <>
          <b>{status}</b> by <Name text={decided_by ?? ''} />
          {decided_at !== null && (
            <>
              , <Ago at={decided_at} suffix=" ago" />
            </>
          )}
        </>
      )}{' '}
      ·{' '}
      {evaluation_status === 'none' ? 'not evaluated' : `evaluation: ${evaluation_status.replace('_', ' ')}`}{' '}
      · <Id id={proposal_id} />
    </>
  )
}

function Overtaken({ review: { proposal, is_current, newest_version } }: { review: Review }) {
  if (is_current || proposal.status !== 'proposed') return null
  return (
    <div className="card" role="alert">
      <Status state="warning">It can no longer be approved.</Status>
      <p>
        It builds on {proposal.base_version ?? 'nothing'}, and the flow is at {newest_version ?? 'nothing'} by
        now. Ask its author to propose it anew on that version.
      </p>
    </div>
  )
}
