import './flows.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { useHub } from '../../api/hub'
import { flowQuery, PROJECTIONS, projectionQuery } from '../../api/queries'
import { Answer, Panel } from '../../parts/panel'
import { StepsInFull } from '../../parts/steps-in-full'
import { Tabs } from '../../parts/tabs'
import { exactTime } from '../../parts/time'
import { Foreign, spelledOut } from '../../parts/words'

/** A flow as a page: what agents are given, word for word. */
export function FlowPage() {
  const { flow_id } = useParams({ from: '/flows/$flow_id' })
  const { version, view } = useSearch({ from: '/flows/$flow_id' })
  const hub = useHub()
  const asked = useQuery(flowQuery(hub, flow_id, version))
  return (
    <div className="page reading-page">
      <p className="small">
        <Link to="/flows" search={({ vault }) => ({ ...(vault && { vault }) })}>
          ‹ Flows
        </Link>
      </p>
      <Answer of={asked} rows={12}>
        {({ flow, steps }) => (
          <>
            <header className="page-head">
              <div>
                <h1>
                  {flow.flow_id} {flow.version}
                </h1>
                <p className="lead">
                  <Foreign text={flow.title} /> {flow.scope}, {steps.length}{' '}
                  {steps.length === 1 ? 'step' : 'steps'}, updated {exactTime(flow.updated)}
                </p>
              </div>
            </header>
            <Tabs label="About this flow">
              <Link
                to="."
                search={({ view: _view, ...kept }) => kept}
                className={view === undefined ? 'is-here' : ''}
              >
                The flow
              </Link>
              <Link
                to="."
                search={(kept) => ({ ...kept, view: 'projections' as const })}
                className={view === 'projections' ? 'is-here' : ''}
              >
                Projections
              </Link>
            </Tabs>
            {view === 'projections' ? (
              <Projections flow_id={flow.flow_id} version={flow.version} />
            ) : (
              <StepsInFull flow={flow} steps={steps} />
            )}
          </>
        )}
      </Answer>
    </div>
  )
}

function Projections({ flow_id, version }: { flow_id: string; version: string }) {
  const hub = useHub()
  const [harness, setHarness] = useState<(typeof PROJECTIONS)[number]>('cli_runbook')
  const asked = useQuery(projectionQuery(hub, flow_id, harness, version))
  return (
    <Panel
      title="As a program reads it"
      aside={
        <span className="choice" role="group" aria-label="Form">
          {PROJECTIONS.map((name) => (
            <button key={name} type="button" aria-pressed={harness === name} onClick={() => setHarness(name)}>
              {name.replace('_', ' ')}
            </button>
          ))}
        </span>
      }
    >
      <Answer of={asked}>
        {({ projection, staleness, generator }) => (
          <>
            <p className="empty">
              {staleness.stale
                ? `The flow is at ${staleness.latest_version} by now.`
                : 'Of the newest version.'}{' '}
              Content <code>{generator.content_hash.slice(0, 20)}…</code>
              {projection.fidelity.dropped_fields.length > 0 &&
                ` · left out: ${projection.fidelity.dropped_fields.join(', ')}`}
            </p>
            <pre className="raw foreign-text">{spelledOut(projection.rendered)}</pre>
          </>
        )}
      </Answer>
    </Panel>
  )
}
