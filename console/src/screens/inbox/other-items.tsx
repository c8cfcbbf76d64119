import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import { alertsQuery, deadLettersQuery, doctorQuery } from '../../api/queries'
import { useLockChange } from '../../frame/stop'
import { Ask } from '../../parts/ask'
import { Answer, Fault } from '../../parts/panel'
import { Status } from '../../parts/status'
import { Ago } from '../../parts/time'
import { Name } from '../../parts/words'

/** An agent that tried to get out of its seat: look, stop it, or take note. */
export function AlertItem({ agent_id }: { agent_id: string }) {
  const hub = useHub()
  const queries = useQueryClient()
  const alerts = useQuery(alertsQuery(hub))
  const { stop } = useLockChange()
  const acknowledge = useMutation({
    mutationFn: () =>
      answerOf(
        hub.client.POST('/api/v1/toolbox/alerts/{agent_id}/acknowledge', { params: { path: { agent_id } } }),
      ),
    onSettled: () => queries.invalidateQueries({ queryKey: ['alert_list', hub.vault] }),
  })
  return (
    <Answer of={alerts}>
      {(list) => {
        const alert = list.alerts.find((one) => one.agent_id === agent_id)
        if (!alert) return <p className="empty">This agent is not in Alert Mode any more.</p>
        return (
          <>
            <article className="reading">
              <h2 className="item-title">
                <Name text={agent_id} /> is in Alert Mode
              </h2>
              <p className="lead">
                {alert.violations} tries to get out of its seat, the last{' '}
                <Ago at={alert.last_violation_at} suffix=" ago" />.
              </p>
              <p>
                <Link
                  to="/activity"
                  search={({ vault }) => ({ ...(vault && { vault }), called_by: agent_id })}
                >
                  What it did
                </Link>
              </p>
              {alert.acknowledged_at !== null && <Status state="allowed">You took note of it.</Status>}
            </article>
            <footer className="decision">
              {(acknowledge.error ?? stop.error) && (
                <Fault error={(acknowledge.error ?? stop.error) as Error} />
              )}
              <div className="acts">
                <button
                  type="button"
                  className="button"
                  disabled={acknowledge.isPending || alert.acknowledged_at !== null}
                  onClick={() => acknowledge.mutate()}
                >
                  Acknowledge
                </button>
                <button
                  type="button"
                  className="button danger"
                  disabled={stop.isPending || stop.isSuccess}
                  onClick={() => stop.mutate({ kind: 'agent', id: agent_id, reason: 'Alert Mode' })}
                >
                  {stop.isSuccess ? 'It is stopped' : 'Stop it'}
                </button>
              </div>
            </footer>
          </>
        )
      }}
    </Answer>
  )
}

/** Something that the doctor found wrong, with how to mend it. */
export function FindingItem({ subject }: { subject: string }) {
  const hub = useHub()
  const doctor = useQuery(doctorQuery(hub))
  return (
    <Answer of={doctor}>
      {({ findings }) => {
        const finding = findings.find((one) => one.subject === subject)
        if (!finding) return <p className="empty">It is mended.</p>
        return (
          <article className="reading">
            <h2 className="item-title">{subject}</h2>
            <p>
              <Status state={finding.state === 'wrong' ? 'failed' : 'intact'}>{finding.state}</Status>
            </p>
            <p className="lead">
              <Name text={finding.detail} />
            </p>
            {finding.fix !== null && (
              <div className="card">
                <p className="small faint">How to mend it</p>
                <Name text={finding.fix} />
              </div>
            )}
          </article>
        )
      }}
    </Answer>
  )
}

/** An answer of an engine that could not be kept in the ledger. */
export function LetterItem({ dead_letter_id }: { dead_letter_id: string }) {
  const hub = useHub()
  const queries = useQueryClient()
  const letters = useQuery(deadLettersQuery(hub))
  const [isAsked, setAsked] = useState(false)
  const replay = useMutation({
    mutationFn: () =>
      answerOf(
        hub.client.POST('/api/v1/boundary/dead-letters/{dead_letter_id}/replay', {
          params: { path: { dead_letter_id } },
        }),
      ),
    onSuccess: () => setAsked(false),
    onSettled: () => queries.invalidateQueries({ queryKey: ['boundary_dead_letter_list', hub.vault] }),
  })
  return (
    <Answer of={letters}>
      {({ dead_letters }) => {
        const letter = dead_letters.find((one) => one.dead_letter_id === dead_letter_id)
        if (!letter) return <p className="empty">It is not there any more.</p>
        return (
          <>
            <article className="reading">
              <h2 className="item-title">An answer of an engine could not be kept</h2>
              <p className="lead">
                Execution <code>{letter.run_id}</code>, attempt {letter.attempt},{' '}
                <Ago at={letter.created_at} suffix=" ago" />.
              </p>
              <p>
                <Name text={letter.reason} />
              </p>
              {letter.replayed_at !== null && <Status state="allowed">It was written again.</Status>}
            </article>
            {letter.replayed_at === null && (
              <footer className="decision">
                <div className="acts">
                  <button type="button" className="button main" onClick={() => setAsked(true)}>
                    Replay…
                  </button>
                </div>
              </footer>
            )}
            {isAsked && (
              <Ask
                title="Write this answer into the ledger again?"
                yes="Replay it"
                error={replay.error}
                isBusy={replay.isPending}
                onYes={() => replay.mutate()}
                close={() => setAsked(false)}
              >
                <p>The engine is not asked again. What it answered then is checked and kept, exactly once.</p>
              </Ask>
            )}
          </>
        )
      }}
    </Answer>
  )
}
