import { useQuery } from '@tanstack/react-query'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import { consentsQuery } from '../../api/queries'
import { NameInPlace } from '../../parts/named'
import { Answer, Panel } from '../../parts/panel'
import { Revoke } from '../../parts/revoke'
import { Status } from '../../parts/status'
import { Ago, Left } from '../../parts/time'
import { Foreign, Name } from '../../parts/words'

/** Programs that signed in for MCP by the hub's address, and what they were let in for. */
export function Consents() {
  const hub = useHub()
  const consents = useQuery(consentsQuery(hub))
  return (
    <Panel
      title="Programs that were let in"
      note="they sign in by the address of /mcp; you ticked what they may"
    >
      <Answer
        of={consents}
        empty={({ data }) =>
          data.length === 0 && 'None yet. Give an MCP client the address of /mcp, and it asks you here.'
        }
      >
        {({ data, truncated }) => (
          <>
            <ul className="rows">
              {data.map((one) => (
                <li key={one.consent_id} className="row consent-row">
                  <div>
                    <NameInPlace id={one.consent_id} of="program" first={one.label} />
                    <p className="small soft">
                      calls itself <Foreign text={one.client_name} />
                    </p>
                  </div>
                  <span>
                    {one.kind === 'grant' ? (
                      <>
                        {one.flow_id} {one.flow_version}
                        <span className="tools">
                          {one.tools.map((tool) => (
                            <code key={tool} className="chip">
                              {tool}
                            </code>
                          ))}
                        </span>
                      </>
                    ) : (
                      <>
                        member of <b>{one.vault_id}</b> as {one.role}
                      </>
                    )}
                  </span>
                  <span>
                    {one.state === 'standing' ? (
                      <>
                        renews for <Left until={one.standing_until} />
                      </>
                    ) : (
                      <Status state="off">
                        ended{one.end_reason !== null && `: ${one.end_reason.replaceAll('_', ' ')}`}
                      </Status>
                    )}
                    <span className="small faint">
                      {' '}
                      · <Ago at={one.created_at} suffix=" ago" />, renewed {one.renewals} times
                    </span>
                  </span>
                  {one.state === 'standing' ? (
                    <Revoke
                      word="Revoke"
                      title={
                        <>
                          Let <Name text={one.label} /> in no longer?
                        </>
                      }
                      yes="Revoke it"
                      shownBy="owner_consent_list"
                      act={() =>
                        answerOf(
                          hub.client.DELETE('/v1/owner/consents/{consent_id}', {
                            params: { path: { consent_id: one.consent_id } },
                          }),
                        )
                      }
                    >
                      Its next call is refused everywhere, open streams end within a second, and it cannot
                      renew.
                    </Revoke>
                  ) : (
                    <span />
                  )}
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
