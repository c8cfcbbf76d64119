import { useQuery } from '@tanstack/react-query'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import { tokensQuery } from '../../api/queries'
import { useNow } from '../../live/now'
import { Id } from '../../parts/id'
import { NameInPlace, useLabels } from '../../parts/named'
import { Answer, Panel } from '../../parts/panel'
import { Revoke } from '../../parts/revoke'
import { Ago, Left } from '../../parts/time'
import { Foreign, Name } from '../../parts/words'

/** Tokens of programs that call over REST or MCP as members of the vault. */
export function Tokens() {
  const hub = useHub()
  const now = useNow()
  const labels = useLabels()
  const tokens = useQuery(tokensQuery(hub))
  const live = (tokens.data?.tokens ?? []).filter(
    ({ revoked_at, expires_at }) =>
      revoked_at === null && (expires_at === null || Date.parse(expires_at) > now),
  )
  return (
    <Panel title="Tokens" note="members of this vault by a token">
      <Answer of={tokens} empty={() => live.length === 0 && 'No token counts.'}>
        {({ truncated }) => (
          <>
            <ul className="rows">
              {live.map(({ token_id, role, label, created_at, created_by, expires_at }) => (
                <li key={token_id} className="row seat-row">
                  <div>
                    {/* The name that another admin gave it when they made it stays theirs. */}
                    {label !== null && labels[token_id] === undefined && (
                      <>
                        <Foreign text={label} />{' '}
                      </>
                    )}
                    <NameInPlace id={token_id} of="token" /> <span className="soft">{role}</span>
                    <p className="small faint">
                      <Id id={token_id} /> made <Ago at={created_at} suffix=" ago" /> by{' '}
                      <Name text={created_by} />
                    </p>
                  </div>
                  {expires_at === null ? (
                    <span className="soft">without end</span>
                  ) : (
                    <Left until={expires_at} />
                  )}
                  <Revoke
                    word="Revoke"
                    title="Revoke this token?"
                    yes="Revoke it"
                    shownBy="token_list"
                    act={() =>
                      answerOf(
                        hub.client.DELETE('/api/v1/tokens/{token_id}', { params: { path: { token_id } } }),
                      )
                    }
                  >
                    Whoever holds it is refused from the next call on. Tokens that it made stay; the command
                    line takes them along with <code>--with-made</code>.
                  </Revoke>
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
