import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import { pinReviewsQuery, policyQuery } from '../../api/policy-queries'
import { Answer, Panel } from '../../parts/panel'
import { Revoke } from '../../parts/revoke'
import { Status } from '../../parts/status'
import { Foreign } from '../../parts/words'
import { PolicyFault } from './policy-fault'

const ASKS = { never: '', first_call: 'asks once for a shape', each_call: 'asks at each call' } as const

/** Every tool that a grant can have. */
export function Allowlist() {
  const hub = useHub()
  const policy = useQuery(policyQuery(hub))
  const reviews = useQuery(pinReviewsQuery(hub)).data?.data ?? []
  const reviewOf = (tool_id: string) => reviews.find((one) => one.tool_id === tool_id)
  return (
    <>
      {policy.data && <PolicyFault policy={policy.data} />}
      <Panel title="Tools on the allowlist" note={policy.data && `${policy.data.tools.length}`}>
        <Answer
          of={policy}
          empty={({ tools, damaged }) =>
            tools.length === 0 &&
            (damaged ? 'The policy is damaged: it counts as closed.' : 'No tool is listed.')
          }
        >
          {({ tools, digest: _digest, revision }) => (
            <ul className="rows">
              {tools.map(({ id, description, provider, provider_tool, approval, pin }) => {
                const review = reviewOf(id)
                return (
                  <li key={id} className="row tool-row">
                    <div>
                      <code>
                        <b>{id}</b>
                      </code>
                      {description !== null && (
                        <p className="small soft clamp">
                          <Foreign text={description} />
                        </p>
                      )}
                    </div>
                    <span className="small">
                      {provider === null
                        ? 'no provider: it sends nothing'
                        : `${provider} · ${provider_tool ?? id}`}
                    </span>
                    <span>{ASKS[approval] !== '' && <Status state="held">{ASKS[approval]}</Status>}</span>
                    {review ? (
                      <span>
                        <Status state="closed">not what you reviewed</Status>{' '}
                        <Link
                          to="/inbox"
                          search={({ vault }) => ({
                            ...(vault && { vault }),
                            item: `pin:${review.review_id}`,
                          })}
                        >
                          Compare
                        </Link>
                      </span>
                    ) : (
                      <Status state={pin === null ? 'off' : 'intact'}>
                        {pin === null ? 'not pinned' : 'as reviewed'}
                      </Status>
                    )}
                    <Revoke
                      word="Remove"
                      title={
                        <>
                          Take <code>{id}</code> off the allowlist?
                        </>
                      }
                      yes="Remove it"
                      shownBy="owner_policy_show"
                      act={() =>
                        answerOf(
                          hub.client.DELETE('/v1/owner/policy/tools/{tool_id}', {
                            params: { path: { tool_id: id }, query: { base_revision: revision } },
                          }),
                        )
                      }
                    >
                      No grant can call it from the next call on. The former policy stays in the history.
                    </Revoke>
                  </li>
                )
              })}
            </ul>
          )}
        </Answer>
      </Panel>
    </>
  )
}
