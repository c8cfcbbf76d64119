import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { answerOf } from '../../api/client'
import { executionQuery } from '../../api/data-queries'
import { useHub } from '../../api/hub'
import { deadLettersQuery, executionsQuery } from '../../api/queries'
import { Id } from '../../parts/id'
import { Meter } from '../../parts/meter'
import { Answer, Fault, Panel } from '../../parts/panel'
import { Revoke } from '../../parts/revoke'
import { type StateName, Status } from '../../parts/status'
import { Ago } from '../../parts/time'
import { Foreign, Name } from '../../parts/words'

const STATES: Readonly<Record<string, StateName>> = {
  planned: 'held',
  running: 'running',
  succeeded: 'allowed',
  failed: 'failed',
  cancelled: 'off',
}

/** What external engines were asked, and how it ended. */
export function Engines({ item }: { item: string | undefined }) {
  const hub = useHub()
  const executions = useQuery(executionsQuery(hub))
  const [wanted, setWanted] = useState('')
  const choice = (
    <label className="small">
      State{' '}
      <select value={wanted} onChange={({ target }) => setWanted(target.value)}>
        <option value="">any</option>
        {Object.keys(STATES).map((one) => (
          <option key={one}>{one}</option>
        ))}
      </select>
    </label>
  )
  return (
    <>
      <DeadLetters />
      <Panel title="Executions" note="the newest first" aside={choice}>
        <Answer
          of={executions}
          empty={({ executions: list }) =>
            list.length === 0
              ? 'No engine was asked yet: `knowtation boundary run`.'
              : list.every((one) => wanted !== '' && one.state !== wanted) &&
                `None of the newest is ${wanted}.`
          }
        >
          {({ executions: list }) => (
            <ul className="rows">
              {list
                .filter((one) => wanted === '' || one.state === wanted)
                .map(({ run_id, engine, objective_type, state, updated_at, error_code, tenant_id }) => (
                  <li key={run_id}>
                    <div className="row run-row">
                      <Status state={STATES[state] ?? 'off'}>{state}</Status>
                      <span>
                        <b>
                          <Link
                            to="/data"
                            search={({ vault }) => ({
                              ...(vault && { vault }),
                              tab: 'engines' as const,
                              ...(item !== run_id && { item: run_id }),
                            })}
                            aria-expanded={item === run_id}
                          >
                            <Name text={engine} />
                          </Link>
                        </b>{' '}
                        <span className="soft">
                          {objective_type.replaceAll('_', ' ')} for <Name text={tenant_id} />
                        </span>
                      </span>
                      <span className="faint">
                        <Ago at={updated_at} suffix=" ago" />
                      </span>
                      <code className="small">{error_code ?? ''}</code>
                    </div>
                    {item === run_id && <Execution run_id={run_id} />}
                  </li>
                ))}
            </ul>
          )}
        </Answer>
      </Panel>
    </>
  )
}

/** Answers that an engine gave and that could not be kept; most hubs have none. */
function DeadLetters() {
  const hub = useHub()
  const letters = useQuery(deadLettersQuery(hub))
  if (letters.error) return <Fault error={letters.error} />
  const open = letters.data?.dead_letters.filter(({ replayed_at }) => replayed_at === null) ?? []
  if (open.length === 0) return null
  return (
    <Panel title="Dead letters" note="accepted answers that could not be written to the ledger">
      <ul className="rows">
        {open.map(({ dead_letter_id, run_id, attempt, created_at }) => (
          <li key={dead_letter_id} className="on-row">
            <div>
              <Id id={dead_letter_id} />{' '}
              <span className="soft">
                execution <Id id={run_id} />, attempt {attempt}
              </span>
            </div>
            <span className="faint">
              <Ago at={created_at} suffix=" ago" />
            </span>
            <Link
              className="button"
              to="/inbox"
              search={({ vault }) => ({ ...(vault && { vault }), item: `letter:${dead_letter_id}` })}
            >
              Look
            </Link>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function Execution({ run_id }: { run_id: string }) {
  const hub = useHub()
  const asked = useQuery(executionQuery(hub, run_id))
  return (
    <div className="source">
      <Answer of={asked}>
        {({ execution: { state, progress, outcome, robot_id, execution_id, attempt } }) => (
          <>
            <p className="soft">
              <Name text={robot_id} />, execution <Id id={execution_id} />, attempt {attempt} ·{' '}
              <Id id={run_id} />
            </p>
            {state === 'running' && progress !== null && (
              <p>
                <Meter
                  left={progress.share}
                  label={`${Math.round(progress.share * 100)} % done`}
                  tone="live"
                />{' '}
                {Math.round(progress.share * 100)} %{' '}
                {progress.note !== null && <Foreign text={progress.note} />}
              </p>
            )}
            {(state === 'running' || state === 'planned') && (
              <Revoke
                word="Cancel"
                title="Cancel this execution?"
                yes="Cancel it"
                shownBy="boundary_list"
                act={() =>
                  answerOf(
                    hub.client.POST('/api/v1/boundary/executions/{run_id}/cancel', {
                      params: { path: { run_id } },
                    }),
                  )
                }
              >
                Nothing of it is written into the ledger but that it was cancelled.
              </Revoke>
            )}
            {outcome?.error && (
              <p>
                <Status state="failed">{outcome.error.code}</Status> <Name text={outcome.error.message} />
              </p>
            )}
            {(outcome?.violations.length ?? 0) > 0 && (
              <ul className="panel rows">
                {outcome?.violations.map(({ path, message }) => (
                  <li key={`${path} ${message}`} className="on-row">
                    <code>{path}</code>
                    <Name text={message} />
                  </li>
                ))}
              </ul>
            )}
            {(outcome?.artifact_ledger_ids.length ?? 0) > 0 && (
              <p>
                Made{' '}
                {outcome?.artifact_ledger_ids.map((id) => (
                  <Link
                    key={id}
                    to="/data"
                    search={({ vault }) => ({ ...(vault && { vault }), tab: 'ledger' as const, item: id })}
                    className="chip"
                  >
                    <code>{id.slice(0, 16)}…</code>
                  </Link>
                ))}
              </p>
            )}
          </>
        )}
      </Answer>
    </div>
  )
}
