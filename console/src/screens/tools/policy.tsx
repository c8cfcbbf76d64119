import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import { policyQuery, revisionsQuery } from '../../api/policy-queries'
import { OpenGate } from '../../parts/open-gate'
import { Answer, Fault, Panel } from '../../parts/panel'
import { Revoke } from '../../parts/revoke'
import { Status } from '../../parts/status'
import { Ago } from '../../parts/time'
import { Name, spelledOut } from '../../parts/words'
import { PolicyFault, type ShownPolicy } from './policy-fault'

type Gate = ShownPolicy['gates'][number]

/** The policy of the vault: its gates, the file as it is, and each revision of it. */
export function Policy() {
  const hub = useHub()
  const policy = useQuery(policyQuery(hub))
  return (
    <Answer of={policy} rows={8}>
      {(shown) => (
        <>
          <PolicyFault policy={shown} />
          <Panel title="Gates" note="closed unless something opens them">
            <ul className="rows">
              {shown.gates.map((gate) => (
                <GateRow key={gate.gate} gate={gate} revision={shown.revision} />
              ))}
            </ul>
          </Panel>
          <Check />
          <History />
          <Panel title="The file" note={`${shown.path}, revision ${shown.revision}`}>
            <pre className="raw">
              {shown.exists ? spelledOut(shown.text) : 'There is no file: the closed defaults count.'}
            </pre>
          </Panel>
        </>
      )}
    </Answer>
  )
}

function GateRow({ gate, revision }: { gate: Gate; revision: string }) {
  const { client } = useHub()
  const queries = useQueryClient()
  const params = { path: { gate: gate.gate as 'external_agent' } }
  const body = { base_revision: revision }
  const onSettled = () =>
    queries.invalidateQueries({ predicate: ({ queryKey }) => /policy|doctor/.test(String(queryKey[0])) })
  const close = useMutation({
    mutationFn: () => answerOf(client.POST('/v1/owner/policy/gates/{gate}/close', { params, body })),
    onSettled,
  })
  const isByPolicy = gate.set_by !== 'environment' && gate.forbidden_by === null
  return (
    <li className="row gate-row">
      <div>
        <b>{gate.gate.replaceAll('_', ' ')}</b>
        <p className="small soft">
          {gate.forbidden_by === null
            ? `decided by the ${gate.set_by}`
            : `forbidden by the ${gate.forbidden_by}`}
          , <code>{gate.set_by === 'environment' ? gate.flag : gate.setting}</code>
        </p>
        {close.error && <Fault error={close.error} />}
      </div>
      <Status state={gate.open ? 'on' : 'off'}>{gate.open ? 'open' : 'closed'}</Status>
      {!isByPolicy ? (
        <span className="small faint">the policy does not decide it</span>
      ) : gate.open ? (
        <button
          type="button"
          className="button danger"
          disabled={close.isPending}
          onClick={() => close.mutate()}
        >
          Close
        </button>
      ) : (
        <OpenGate gate={gate.gate} setting={gate.setting} revision={revision} />
      )}
    </li>
  )
}

/** What can never match, what no flow declares, who does not answer: asked for, since it reaches the providers. */
function Check() {
  const { client } = useHub()
  const check = useMutation({
    mutationFn: () => answerOf(client.POST('/v1/owner/policy/check', { body: {} })),
  })
  return (
    <Panel
      title="Check"
      aside={
        <button type="button" className="button" disabled={check.isPending} onClick={() => check.mutate()}>
          {check.isPending ? 'Checking…' : 'Check the policy'}
        </button>
      }
    >
      {check.error && <Fault error={check.error} />}
      {check.data && check.data.oddities.length === 0 && check.data.errors.length === 0 && (
        <p className="empty">Nothing odd was found.</p>
      )}
      {!check.data && (
        <p className="empty">Finds what can never match, what is too wide, and who does not answer.</p>
      )}
      <ul className="rows">
        {check.data?.oddities.map(({ kind, line, message }) => (
          <li key={`${kind} ${line} ${message}`} className="on-row">
            <span>
              <b>{kind.replaceAll('_', ' ')}</b> <Name text={message} />
            </span>
            <span className="faint">line {line}</span>
          </li>
        ))}
      </ul>
    </Panel>
  )
}

function History() {
  const hub = useHub()
  const history = useQuery(revisionsQuery(hub))
  return (
    <Panel title="History">
      <Answer of={history} empty={({ data }) => data.length === 0 && 'It was never changed.'}>
        {({ data, revision }) => (
          <ul className="rows">
            {data.map(({ number, revision: own, at, changed_by, origin, operation, reason, here }) => (
              <li key={number} className="row gate-row">
                <div>
                  <b className="num">{number}</b> <code>{own}</code>{' '}
                  {origin === 'operation'
                    ? operation?.replace('owner_', '').replaceAll('_', ' ')
                    : `by ${origin}`}
                  <p className="small soft">
                    <Name text={changed_by} />, <Ago at={at} suffix=" ago" />
                    {reason !== null && (
                      <>
                        : <Name text={reason} />
                      </>
                    )}
                  </p>
                </div>
                <span>{own === revision && <Status state="on">counts now</Status>}</span>
                {own === revision || !here ? (
                  <span />
                ) : (
                  <Revoke
                    word="Revert"
                    title={`Go back to revision ${number}?`}
                    yes="Go back to it"
                    shownBy="owner_policy_show"
                    act={() =>
                      answerOf(
                        hub.client.POST('/v1/owner/policy/revert', {
                          body: { revision: String(number), base_revision: revision },
                        }),
                      )
                    }
                  >
                    The file is written as it was then, gates and tools included. What it is now stays in the
                    history.
                  </Revoke>
                )}
              </li>
            ))}
          </ul>
        )}
      </Answer>
    </Panel>
  )
}
