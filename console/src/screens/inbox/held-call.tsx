import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import { approvalQuery } from '../../api/queries'
import type { components } from '../../api/schema'
import { Ask } from '../../parts/ask'
import { Id } from '../../parts/id'
import { NameOrId } from '../../parts/named'
import { Answer, Fault } from '../../parts/panel'
import { Status } from '../../parts/status'
import { Ago, exactTime, Left } from '../../parts/time'
import { Foreign, Name } from '../../parts/words'

type Held = components['schemas']['CallApprovalInFull']

/** A call that waits for the owner's word, with everything that its tool would be given. */
export function HeldCall({ approval_id }: { approval_id: string }) {
  const hub = useHub()
  const asked = useQuery(approvalQuery(hub, approval_id))
  return (
    <Answer of={asked} rows={8}>
      {(held) => (
        <>
          <article className="reading">
            <header className="item-head">
              <div>
                <h2 className="item-title">
                  <Name text={held.client} /> wants to call <code>{held.tool_id}</code>
                </h2>
                <p className="soft">
                  Asked <Ago at={held.created_at} suffix=" ago" /> · <Id id={held.approval_id} />
                </p>
              </div>
              {held.state === 'waiting' && (
                <p className="countdown">
                  <Left until={held.expires_at} /> left
                </p>
              )}
            </header>
            <Outcome held={held} />
            <dl className="facts wide-facts">
              <Fact name="Under">
                <NameOrId id={held.grant_id} /> of <b>{held.flow_id}</b> {held.flow_version}{' '}
                <Link
                  to="/activity"
                  search={({ vault }) => ({ ...(vault && { vault }), grant: held.grant_id })}
                >
                  its calls
                </Link>
              </Fact>
              <Fact name="Asks">
                {held.mode === 'each_call' ? 'at each call' : 'once for arguments of this shape'}, as your
                policy <code>{held.policy_revision.slice(0, 8)}</code> says
              </Fact>
              <Fact name="Caller">
                {held.caller_kind} <NameOrId id={held.caller_id} />
              </Fact>
            </dl>
            <h3>
              What the tool would be given{' '}
              <span className="small faint">all of it, {held.arguments_bytes} bytes</span>
            </h3>
            {held.arguments === null ? (
              <p className="card soft">The arguments were erased when it was decided. Their digest stays.</p>
            ) : (
              <Foreign block by={held.client} text={JSON.stringify(held.arguments, null, 2)} />
            )}
          </article>
          {held.state === 'waiting' && <Decision held={held} />}
        </>
      )}
    </Answer>
  )
}

function Fact({ name, children }: { name: string; children: React.ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  )
}

const ENDS: Readonly<Record<Held['state'], string>> = {
  waiting: '',
  approved: 'You said yes; the call has not come to take it yet.',
  executing: 'You said yes; it is being carried out.',
  executed: 'It was carried out once.',
  failed: 'It was carried out, and the tool failed.',
  unknown: 'It was begun, and its answer is not known. It is not repeated by itself.',
  denied: 'You refused it. Nothing was sent.',
  expired: 'Nobody answered in time. Nothing was sent.',
}

function Outcome({ held }: { held: Held }) {
  if (held.state === 'waiting') return null
  const isGood = ['approved', 'executing', 'executed'].includes(held.state)
  return (
    <div className="card">
      <Status state={isGood ? 'allowed' : held.state === 'failed' ? 'failed' : 'refused'}>
        {ENDS[held.state]}
      </Status>
      {held.decided_at !== null && (
        <p className="small soft">
          Decided {exactTime(held.decided_at)}
          {held.decided_for === 'grant' && ', for this grant for an hour'}
          {held.reason !== null && (
            <>
              : “<Name text={held.reason} />”
            </>
          )}
        </p>
      )}
    </div>
  )
}

/** The page shows all that a yes would do, so the yes is one click; what reaches further asks again. */
function Decision({ held }: { held: Held }) {
  const { client, vault } = useHub()
  const queries = useQueryClient()
  const [question, setQuestion] = useState<'grant' | 'deny'>()
  const [reason, setReason] = useState('')
  const decide = useMutation({
    mutationFn: (body: { decision: 'approve' | 'deny'; for?: 'call' | 'grant'; reason?: string }) =>
      answerOf(
        client.POST('/v1/owner/approvals/{approval_id}/decision', {
          params: { path: { approval_id: held.approval_id } },
          body: { digest: held.digest, ...body },
        }),
      ),
    onSuccess: () => setQuestion(undefined),
    onSettled: () =>
      queries.invalidateQueries({
        predicate: ({ queryKey }) =>
          String(queryKey[0]).startsWith('owner_approval') && queryKey[1] === vault,
      }),
  })
  const why = reason.trim() === '' ? {} : { reason: reason.trim() }
  return (
    <footer className="decision">
      <p className="small soft">
        You decide about exactly these bytes, <code>{held.digest.slice(0, 13)}…</code>, once, under this
        policy.
      </p>
      {decide.error && question === undefined && <Fault error={decide.error} />}
      <div className="acts">
        <button type="button" className="button danger" onClick={() => setQuestion('deny')}>
          Refuse…
        </button>
        <button type="button" className="button" onClick={() => setQuestion('grant')}>
          Allow under this grant…
        </button>
        <button
          type="button"
          className="button main"
          disabled={decide.isPending}
          onClick={() => decide.mutate({ decision: 'approve', for: 'call' })}
        >
          Allow this one call
        </button>
      </div>
      {question === 'deny' && (
        <Ask
          title={`Refuse ${held.tool_id}?`}
          yes="Refuse it"
          danger
          error={decide.error}
          isBusy={decide.isPending}
          onYes={() => decide.mutate({ decision: 'deny', ...why })}
          close={() => setQuestion(undefined)}
        >
          <p>Nothing is sent. The agent is told that you refused.</p>
          <label className="field">
            Why, for your own record
            <input value={reason} maxLength={500} onChange={({ target }) => setReason(target.value)} />
          </label>
        </Ask>
      )}
      {question === 'grant' && (
        <Ask
          title={`Allow ${held.tool_id} under this grant for an hour?`}
          yes="Allow for an hour"
          error={decide.error}
          isBusy={decide.isPending}
          onYes={() => decide.mutate({ decision: 'approve', for: 'grant', ...why })}
          close={() => setQuestion(undefined)}
        >
          <p>
            Every call of this tool under this grant goes through for an hour,{' '}
            <b>whatever its arguments are</b>, within the limits of the grant. Stop or revoking the grant ends
            it at once.
          </p>
        </Ask>
      )}
    </footer>
  )
}
