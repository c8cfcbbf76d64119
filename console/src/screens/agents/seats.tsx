import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { violationsQuery } from '../../api/agent-queries'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import { alertsQuery, locksQuery, seatsQuery } from '../../api/queries'
import type { components } from '../../api/schema'
import type { Seat } from '../../api/shapes'
import { useLockChange } from '../../frame/stop'
import { useNow } from '../../live/now'
import { NameInPlace } from '../../parts/named'
import { Answer, Fault, Panel } from '../../parts/panel'
import { Revoke } from '../../parts/revoke'
import { Status } from '../../parts/status'
import { Ago, Left } from '../../parts/time'
import { Foreign, Name } from '../../parts/words'
import { TryBars } from './try-bars'

type Violation = components['schemas']['SecurityEvent']
const TRIES_SHOWN = 20

/** Who works where: a seat is one service of one project, in one role. */
export function Seats() {
  const hub = useHub()
  const now = useNow()
  const seats = useQuery(seatsQuery(hub))
  const violations = useQuery(violationsQuery(hub))
  const live = (seats.data?.sessions ?? []).filter(
    ({ revoked_at, expires_at }) => revoked_at === null && Date.parse(expires_at) > now,
  )
  return (
    <>
      <Panel title="Toolbox seats" note="agents that work in the files of one service">
        <Answer of={seats} empty={() => live.length === 0 && 'No seat is taken.'}>
          {({ truncated }) => (
            <>
              <ul className="rows">
                {live.map((seat) => (
                  <SeatRow
                    key={seat.session_id}
                    seat={seat}
                    tries={(violations.data?.violations ?? []).filter(
                      ({ agent_id }) => agent_id === seat.agent_id,
                    )}
                  />
                ))}
              </ul>
              {truncated && <p className="empty">There are more than are shown here.</p>}
            </>
          )}
        </Answer>
      </Panel>
      <Panel title="Tries to get out" note="denials and critical calls, the newest first">
        <Answer
          of={violations}
          empty={({ violations: list }) => list.length === 0 && 'No agent tried to leave its seat.'}
        >
          {({ violations: list }) => (
            <ul className="rows">
              {list.slice(0, TRIES_SHOWN).map((one, place) => (
                <li key={`${one.timestamp} ${place}`} className="row try-row">
                  <span className="faint">
                    <Ago at={one.timestamp} />
                  </span>
                  <b>
                    <Name text={one.agent_id} />
                  </b>
                  <span>
                    {one.violation_type}
                    {one.repeats !== undefined && one.repeats > 1 && (
                      <span className="chip">×{one.repeats}</span>
                    )}
                  </span>
                  <span className="breaks">
                    {one.target_path !== null && <Foreign text={one.target_path} />}
                    {one.command_args.length > 0 && <Foreign text={one.command_args.join(' ')} />}
                  </span>
                  <Status state={one.severity === 'CRITICAL' ? 'failed' : 'warning'}>
                    {one.severity.toLowerCase()}
                  </Status>
                </li>
              ))}
            </ul>
          )}
        </Answer>
      </Panel>
    </>
  )
}

function SeatRow({ seat, tries }: { seat: Seat; tries: readonly Violation[] }) {
  const hub = useHub()
  const { session_id, agent_id, role, service_root, project_root, expires_at } = seat
  const { stop } = useLockChange()
  const isStopped =
    useQuery(locksQuery(hub)).data?.locks.some(({ kind, id }) => kind === 'agent' && id === agent_id) ?? false
  return (
    <li className="row seat-row seat-live">
      <div>
        <NameInPlace id={session_id} of="seat" /> <span className="soft">{role}</span>
        <p className="small soft breaks">
          <Name text={service_root} /> in <Name text={project_root} />
        </p>
        <Alert agent_id={agent_id} />
        {stop.error && <Fault error={stop.error} />}
      </div>
      <TryBars tries={tries} />
      <Left until={expires_at} />
      <span className="acts">
        <Link
          to="/activity"
          search={({ vault }) => ({ ...(vault && { vault }), called_by: session_id })}
          className="button"
        >
          Calls
        </Link>
        {isStopped ? (
          <Status state="stopped" />
        ) : (
          <button
            type="button"
            className="button danger"
            disabled={stop.isPending}
            onClick={() => stop.mutate({ kind: 'agent', id: agent_id })}
          >
            Stop it
          </button>
        )}
        <Revoke
          word="End seat"
          title={
            <>
              End the seat of <Name text={agent_id} />?
            </>
          }
          yes="End it"
          shownBy="tool_session_list"
          act={() =>
            answerOf(
              hub.client.DELETE('/api/v1/tool-sessions/{session_id}', { params: { path: { session_id } } }),
            )
          }
        >
          Its next call is refused. What it changed in the files stays.
        </Revoke>
      </span>
    </li>
  )
}

/** An alert that nobody has taken note of yet. */
function Alert({ agent_id }: { agent_id: string }) {
  const { vault, client } = useHub()
  const queries = useQueryClient()
  const alert = useQuery(alertsQuery({ vault, client })).data?.alerts.find((one) => one.agent_id === agent_id)
  const acknowledge = useMutation({
    mutationFn: () => {
      const params = { path: { agent_id } }
      return answerOf(client.POST('/api/v1/toolbox/alerts/{agent_id}/acknowledge', { params }))
    },
    onSettled: () => queries.invalidateQueries({ queryKey: ['alert_list', vault] }),
  })
  if (!alert || alert.acknowledged_at !== null) return null
  return (
    <p>
      <Status state="failed">
        Alert Mode: {alert.violations} tries, the last <Ago at={alert.last_violation_at} suffix=" ago" />
      </Status>{' '}
      <button
        type="button"
        className="link"
        disabled={acknowledge.isPending}
        onClick={() => acknowledge.mutate()}
      >
        Acknowledge
      </button>
    </p>
  )
}
