import './data.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import type { Connector } from '../../api/shapes'
import { connectorsQuery } from '../../api/source-queries'
import { useAct } from '../../parts/act'
import { Answer, Fault, Panel } from '../../parts/panel'
import { Status } from '../../parts/status'
import { Name } from '../../parts/words'

/** How a source comes to be, in words. */
const WAYS: Readonly<Record<string, string>> = {
  provide_import_file: 'You give it a file.',
  capture_static_secret: 'You type what it asks for.',
  open_url: 'You fill in where it is; some lead on to the provider.',
  complete_browser_assistance: 'You fetch a file in your own browser, and give it here.',
  enroll_local_collector: 'You choose a folder on the machine of the hub.',
  needs_deployment_config: 'The hub needs a setting first.',
}

/** What can be connected. Beginning connects nothing: the next page asks for what is needed. */
export function Connect() {
  const hub = useHub()
  const connectors = useQuery(connectorsQuery(hub))
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <p className="small">
            <Link to="/data" search={({ vault }) => ({ ...(vault && { vault }) })}>
              Sources
            </Link>
          </p>
          <h1>Connect a source</h1>
          <p className="lead">Nothing is connected before the source has answered once, on the next page.</p>
        </div>
      </header>
      <Panel title="What this hub can collect from">
        <Answer of={connectors} empty={({ data }) => data.length === 0 && 'There are no connectors here.'}>
          {({ data, faults }) => (
            <>
              <ul className="rows">
                {data.map((one) => (
                  <Offer key={one.connector_id} connector={one} />
                ))}
              </ul>
              {faults.map(({ connector, message }) => (
                <p key={connector} className="fault">
                  <Status state="failed">
                    <Name text={connector} /> cannot be used
                  </Status>{' '}
                  <Name text={message} />
                </p>
              ))}
            </>
          )}
        </Answer>
      </Panel>
    </div>
  )
}

function Offer({ connector }: { connector: Connector }) {
  const { connector_id, display_name, connection_count, setup_plan } = connector
  const { client } = useHub()
  const navigate = useNavigate()
  const begin = useAct(
    () => answerOf(client.POST('/v1/owner/connections/intents', { body: { connector_id } })),
    ['owner_intent_list'],
    ({ intent_id }) =>
      void navigate({
        to: '/data/connect/$intent_id',
        params: { intent_id },
        search: ({ vault }) => ({ ...(vault && { vault }) }),
      }),
  )
  const way = setup_plan.proof_gate ?? WAYS[setup_plan.next_step_kind] ?? ''
  return (
    <li className="on-row">
      <div>
        <b>
          <Name text={display_name} />
        </b>{' '}
        {connection_count > 0 && <span className="chip small">{connection_count} connected</span>}
        <p className="small soft">{way}</p>
        {begin.error && <Fault error={begin.error} />}
      </div>
      {setup_plan.owner_actionable ? (
        <button type="button" className="button" disabled={begin.isPending} onClick={() => begin.mutate()}>
          Connect
          <span className="unseen">
            <Name text={display_name} />
          </span>
        </button>
      ) : (
        <Status state="off">not possible here</Status>
      )}
    </li>
  )
}
