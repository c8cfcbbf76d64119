import './data.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import type { Intent } from '../../api/shapes'
import { intentQuery } from '../../api/source-queries'
import { Id } from '../../parts/id'
import { Answer, Panel } from '../../parts/panel'
import { Revoke } from '../../parts/revoke'
import { Status } from '../../parts/status'
import { Ago, Left } from '../../parts/time'
import { Name } from '../../parts/words'
import { IntentForm } from './intent-form'
import { beginnerWords } from './source-states'

/** One connection that was begun: the step that waits for the owner, and nothing else. */
export function IntentPage() {
  const { intent_id } = useParams({ from: '/data/connect/$intent_id' })
  const hub = useHub()
  const asked = useQuery(intentQuery(hub, intent_id))
  const name = asked.data?.connector_name
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <p className="small">
            <Link to="/data/connect" search={({ vault }) => ({ ...(vault && { vault }) })}>
              Connect a source
            </Link>
          </p>
          <h1>
            {asked.data?.state === 'completed' ? 'Connected' : 'Connect'} {name && <Name text={name} />}
          </h1>
        </div>
      </header>
      <div className="narrow">
        <Answer of={asked}>{(intent) => <IntentState key={intent.state} intent={intent} />}</Answer>
      </div>
    </div>
  )
}

function IntentState({ intent }: { intent: Intent }) {
  if (intent.state === 'completed') return <Connected intent={intent} />
  if (intent.state === 'open') return <Open intent={intent} />
  return (
    <Panel title={intent.state === 'unsupported' ? 'Not possible here' : 'Nothing was connected'}>
      <div className="source">
        <p>
          <Name text={intent.next_step.reason} />
        </p>
        {intent.runbook_path !== null && (
          <p className="small">
            More on this: <code>{intent.runbook_path}</code>
          </p>
        )}
        <BackToList>Connect something else</BackToList>
      </div>
    </Panel>
  )
}

function Open({ intent }: { intent: Intent }) {
  const { client } = useHub()
  const { intent_id, display_name, created_by, created_at, expires_at, fault, next_step } = intent
  return (
    <>
      {fault !== null && (
        <p className="fault" role="status">
          <Status state="failed">The last try came to nothing.</Status> <Name text={fault} />
        </p>
      )}
      <Panel title="What only you can do">
        <div className="source">
          <p>
            <Name text={next_step.reason} />
          </p>
          {next_step.kind !== 'needs_deployment_config' && <IntentForm intent={intent} />}
          {next_step.kind === 'enroll_local_collector' && (
            <p className="small soft">
              A collector on this machine may take part instead: <code>knowtation owner intent create</code>{' '}
              shows its code once, for <code>knowtation collector enroll</code>.
            </p>
          )}
        </div>
      </Panel>
      <dl className="facts wide-facts">
        {display_name !== null && (
          <div>
            <dt>To be called</dt>
            <dd>
              <Name text={display_name} />
            </dd>
          </div>
        )}
        <div>
          <dt>Begun by</dt>
          <dd>
            <Name text={beginnerWords(created_by)} />, <Ago at={created_at} suffix=" ago" />
          </dd>
        </div>
        <div>
          <dt>Waits for</dt>
          <dd>
            <Left until={expires_at} /> more · <Id id={intent_id} />
          </dd>
        </div>
      </dl>
      <p className="acts">
        <Revoke
          word="Cancel this"
          title="Cancel this connection?"
          yes="Cancel it"
          shownBy={['owner_intent_show', 'owner_intent_list']}
          act={() =>
            answerOf(
              client.POST('/v1/owner/connections/intents/{intent_id}/cancel', {
                params: { path: { intent_id } },
                body: {},
              }),
            )
          }
        >
          Nothing was connected yet, and nothing will be. It can be begun anew.
        </Revoke>
      </p>
      <p className="small faint">
        Credentials are sealed at once. No page, log or agent is shown them again.
      </p>
    </>
  )
}

function Connected({ intent }: { intent: Intent }) {
  const { connection_id, display_name, connector_name, ended_at } = intent
  return (
    <Panel title="The source has answered">
      <div className="source">
        <p>
          <Status state="on">active</Status>{' '}
          <b>
            <Name text={display_name ?? connector_name} />
          </b>{' '}
          {ended_at !== null && (
            <span className="faint">
              since <Ago at={ended_at} />
            </span>
          )}
        </p>
        <p className="acts">
          {connection_id !== null && (
            <Link
              className="button main"
              to="/data/sources/$connection_id"
              params={{ connection_id }}
              search={({ vault }) => ({ ...(vault && { vault }) })}
            >
              Open it
            </Link>
          )}
          <BackToList>Connect something else</BackToList>
        </p>
      </div>
    </Panel>
  )
}

function BackToList({ children }: { children: string }) {
  return (
    <Link className="button" to="/data/connect" search={({ vault }) => ({ ...(vault && { vault }) })}>
      {children}
    </Link>
  )
}
