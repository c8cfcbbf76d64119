import './flows.css'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { useHub } from '../../api/hub'
import { flowQuery } from '../../api/queries'
import { Answer } from '../../parts/panel'
import { StepsInFull } from '../../parts/steps-in-full'
import { Tabs } from '../../parts/tabs'
import { exactTime } from '../../parts/time'
import { Foreign } from '../../parts/words'
import { FLOW_VIEWS } from '../../router'
import { FlowRuns } from './flow-runs'
import { Projections } from './projections'
import { Versions } from './versions'

const NAMES = { versions: 'Versions', projections: 'Projections', runs: 'Runs' } as const

/** A flow as a page: what agents are given, word for word. */
export function FlowPage() {
  const { flow_id } = useParams({ from: '/flows/$flow_id' })
  const { version, view } = useSearch({ from: '/flows/$flow_id' })
  const hub = useHub()
  const asked = useQuery(flowQuery(hub, flow_id, view === 'versions' ? undefined : version))
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
              <Link
                to="/flows/$flow_id/edit"
                params={{ flow_id }}
                search={({ vault }) => ({ ...(vault && { vault }) })}
                className="button main wide-only"
              >
                Propose an edit…
              </Link>
            </header>
            <FlowTabs view={view} />
            {view === undefined && <StepsInFull flow={flow} steps={steps} />}
            {view === 'versions' && <Versions flow_id={flow.flow_id} />}
            {view === 'projections' && <Projections flow_id={flow.flow_id} version={flow.version} />}
            {view === 'runs' && <FlowRuns flow_id={flow.flow_id} />}
          </>
        )}
      </Answer>
    </div>
  )
}

function FlowTabs({ view }: { view: keyof typeof NAMES | undefined }) {
  return (
    <Tabs label="About this flow">
      {[undefined, ...FLOW_VIEWS].map((one) => (
        <Link
          key={one ?? ''}
          to="."
          search={({ vault, version }) => ({
            ...(vault && { vault }),
            ...(version && one !== 'versions' && { version }),
            ...(one && { view: one }),
          })}
          className={one === view ? 'is-here' : ''}
          aria-current={one === view ? 'page' : undefined}
        >
          {one === undefined ? 'The flow' : NAMES[one]}
        </Link>
      ))}
    </Tabs>
  )
}
