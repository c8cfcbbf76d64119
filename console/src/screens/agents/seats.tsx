import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import { seatsQuery } from '../../api/queries'
import { useLockChange } from '../../frame/stop'
import { useNow } from '../../live/now'
import { Answer, Panel } from '../../parts/panel'
import { Revoke } from '../../parts/revoke'
import { Left } from '../../parts/time'
import { Name } from '../../parts/words'

/** Who works where: a seat is one service of one project, in one role. */
export function Seats() {
  const hub = useHub()
  const now = useNow()
  const seats = useQuery(seatsQuery(hub))
  const { stop } = useLockChange()
  const live = (seats.data?.sessions ?? []).filter(
    ({ revoked_at, expires_at }) => revoked_at === null && Date.parse(expires_at) > now,
  )
  return (
    <Panel title="Toolbox seats" note="agents that work in the files of one service">
      <Answer
        of={seats}
        empty={() => live.length === 0 && 'No seat is taken. `knowtation tool session create` gives one.'}
      >
        {({ truncated }) => (
          <>
            <ul className="rows">
              {live.map((seat) => (
                <li key={seat.session_id} className="row seat-row">
                  <div>
                    <b>
                      <Name text={seat.agent_id} />
                    </b>{' '}
                    <span className="soft">{seat.role}</span>
                    <p className="small soft breaks">
                      <Name text={seat.service_root} /> in <Name text={seat.project_root} />
                    </p>
                  </div>
                  <Left until={seat.expires_at} />
                  <span className="acts">
                    <Link
                      to="/activity"
                      search={({ vault }) => ({ ...(vault && { vault }), called_by: seat.agent_id })}
                      className="button"
                    >
                      Calls
                    </Link>
                    <button
                      type="button"
                      className="button danger"
                      disabled={stop.isPending}
                      onClick={() => stop.mutate({ kind: 'agent', id: seat.agent_id })}
                    >
                      Stop it
                    </button>
                    <Revoke
                      word="End seat"
                      title={
                        <>
                          End the seat of <Name text={seat.agent_id} />?
                        </>
                      }
                      yes="End it"
                      shownBy="tool_session_list"
                      act={() =>
                        answerOf(
                          hub.client.DELETE('/api/v1/tool-sessions/{session_id}', {
                            params: { path: { session_id: seat.session_id } },
                          }),
                        )
                      }
                    >
                      Its next call is refused. What it changed in the files stays.
                    </Revoke>
                  </span>
                </li>
              ))}
            </ul>
            {truncated && <p className="empty">There are more than are shown here.</p>}
          </>
        )}
      </Answer>
    </Panel>
  )
}
