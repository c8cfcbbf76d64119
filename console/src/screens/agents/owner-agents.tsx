import { useQuery } from '@tanstack/react-query'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import { ownerAgentsQuery } from '../../api/queries'
import { NameInPlace } from '../../parts/named'
import { Answer, Panel } from '../../parts/panel'
import { Revoke } from '../../parts/revoke'
import { outcomeState, Status } from '../../parts/status'
import { Ago, Left } from '../../parts/time'
import { Foreign } from '../../parts/words'

/** Programs that act for the owner: they see connections, runs and records, and approve nothing. */
export function OwnerAgents() {
  const hub = useHub()
  const agents = useQuery(ownerAgentsQuery(hub))
  return (
    <Panel title="Owner agents" note="they act for you at your sources; they never approve">
      <Answer of={agents} empty={({ data }) => data.length === 0 && 'No program acts for you.'}>
        {({ data }) => (
          <ul className="rows">
            {data.map(({ agent_id, client_name, state, created_at, expires_at }) => (
              <li key={agent_id} className="row seat-row">
                <div>
                  <NameInPlace id={agent_id} of="agent" /> <span className="small soft">calls itself</span>{' '}
                  <Foreign text={client_name} />
                  <p className="small faint">
                    let in <Ago at={created_at} suffix=" ago" />
                  </p>
                </div>
                {state === 'live' ? (
                  <Left until={expires_at} />
                ) : (
                  <Status state={outcomeState('denied')}>{state}</Status>
                )}
                {state === 'live' ? (
                  <Revoke
                    word="Revoke"
                    title="Let this program act for you no longer?"
                    yes="Revoke it"
                    shownBy="owner_agent_list"
                    act={() =>
                      answerOf(
                        hub.client.DELETE('/v1/owner/agents/{agent_id}', { params: { path: { agent_id } } }),
                      )
                    }
                  >
                    Its next call is refused, and its event subscriptions end.
                  </Revoke>
                ) : (
                  <span />
                )}
              </li>
            ))}
          </ul>
        )}
      </Answer>
    </Panel>
  )
}
