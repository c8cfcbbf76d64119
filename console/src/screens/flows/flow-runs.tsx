import { useQuery } from '@tanstack/react-query'
import { flowRunsQuery } from '../../api/flow-queries'
import { useHub } from '../../api/hub'
import { Id } from '../../parts/id'
import { Meter } from '../../parts/meter'
import { Answer, Panel } from '../../parts/panel'
import { type StateName, Status } from '../../parts/status'
import { Ago } from '../../parts/time'
import { Name } from '../../parts/words'

const STATES: Readonly<Record<string, StateName>> = {
  pending: 'waits',
  in_progress: 'running',
  blocked: 'warning',
  done: 'intact',
  abandoned: 'off',
}

/** How far those have come who follow the flow. The hub keeps the record of it and carries nothing out. */
export function FlowRuns({ flow_id }: { flow_id: string }) {
  const asked = useQuery(flowRunsQuery(useHub(), flow_id))
  return (
    <Panel title="Runs" note="newest first">
      <Answer
        of={asked}
        empty={({ runs }) => runs.length === 0 && 'Nobody has followed this flow step by step yet.'}
      >
        {({ runs, next_cursor }) => (
          <>
            <ul className="rows">
              {runs.map(({ run_id, flow_version, status, step_states, started, provenance }) => {
                const done = step_states.filter((step) => ['done', 'skipped'].includes(step.status)).length
                return (
                  <li key={run_id} className="row flow-run-row">
                    <div>
                      <b>
                        <Name text={provenance.actor} />
                      </b>{' '}
                      <span className="soft">with {provenance.harness}</span>
                      <p className="small faint">
                        <Id id={run_id} /> {flow_version}, <Ago at={started} suffix=" ago" />
                      </p>
                    </div>
                    <span className="soft">
                      <Meter
                        left={done / Math.max(1, step_states.length)}
                        tone="live"
                        label={`${done} of ${step_states.length} steps done`}
                      />{' '}
                      {done} of {step_states.length}
                    </span>
                    <Status state={STATES[status] ?? 'off'}>{status.replace('_', ' ')}</Status>
                  </li>
                )
              })}
            </ul>
            {next_cursor !== null && <p className="empty">There are more than are shown here.</p>}
          </>
        )}
      </Answer>
    </Panel>
  )
}
