import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { requestsQuery } from '../../api/agent-queries'
import { useHub } from '../../api/hub'
import type { OwnerRequest } from '../../api/shapes'
import { Icon } from '../../parts/icon'
import { Answer } from '../../parts/panel'
import { Ago, Left } from '../../parts/time'
import { Foreign } from '../../parts/words'

/** What each kind of program could do once it is let in, and what never. */
const CAN: Readonly<Record<OwnerRequest['asks_for'], { yes: readonly string[]; no: readonly string[] }>> = {
  owner: {
    yes: [
      'See your connections, runs and records, and start or cancel runs.',
      'Begin a new connection; you complete it.',
      'Be told of changes by signed events.',
    ],
    no: [
      'Approve anything: proposals, calls, programs stay yours.',
      'Mint a grant, make a token or a seat, change the policy.',
      'Come in over MCP.',
    ],
  },
  mcp: {
    yes: ['Only what you tick on the next page: one flow with tools, or reading as a member.'],
    no: [
      'Anything before you have ticked it.',
      'See your sources, change the policy, approve.',
      'Stay longer than you say there; you can send it away at any time.',
    ],
  },
}

/** A program that asks to be let in: compare its code, and decide on a page of the hub's own. */
export function RequestItem({ request_id }: { request_id: string }) {
  const requests = useQuery(requestsQuery(useHub()))
  return (
    <Answer of={requests}>
      {({ data }) => {
        const request = data.find((one) => one.request_id === request_id)
        if (!request) return <p className="empty">It was decided, or its time is over.</p>
        return <Shown request={request} />
      }}
    </Answer>
  )
}

function Shown({ request }: { request: OwnerRequest }) {
  const { client_name, client_id, asks_for, way, created_at, expires_at } = request
  const { yes, no } = CAN[asks_for]
  return (
    <>
      <article className="reading">
        <header className="item-head">
          <div>
            <h2 className="item-title">
              {asks_for === 'owner' ? 'A program asks to act for you' : 'A program asks to come in over MCP'}
            </h2>
            <p className="lead">
              It calls itself <Foreign text={client_name} />, <Ago at={created_at} suffix=" ago" />. Nobody
              vouches for that name.
            </p>
          </div>
          <span className="countdown">
            <Left until={expires_at} /> <span className="small faint">left</span>
          </span>
        </header>
        <dl className="facts wide-facts">
          <div>
            <dt>Its id</dt>
            <dd>
              <Foreign text={client_id} />
            </dd>
          </div>
        </dl>
        <section className="card allows" aria-label="What it could do">
          <h3>Once you let it in</h3>
          <ul>
            {yes.map((text) => (
              <li key={text}>
                <Icon name="check" className="tone-ok" />
                <span>{text}</span>
              </li>
            ))}
            {no.map((text) => (
              <li key={text}>
                <Icon name="cross" className="tone-no" />
                <span>
                  <span className="unseen">Not: </span>
                  {text}
                </span>
              </li>
            ))}
          </ul>
        </section>
      </article>
      <footer className="decision">
        {way === 'code' ? (
          <CodeForm />
        ) : (
          <p>
            Its page is in the window that the program opened in your browser. Nothing is allowed until you
            decide there; without your word it ends by itself.
          </p>
        )}
      </footer>
    </>
  )
}

/** The hub keeps a hash of the code alone, so it cannot show it: what is typed here must be what the program shows. */
function CodeForm() {
  const [code, setCode] = useState('')
  return (
    <form className="code-form" method="get" action="/device">
      <label>
        The code that the program shows
        <input
          name="user_code"
          className="mono"
          value={code}
          maxLength={11}
          placeholder="BKRD-TQWZ"
          autoComplete="off"
          spellCheck={false}
          onChange={(event) => setCode(event.target.value.toUpperCase())}
        />
      </label>
      <button className="button main" disabled={code.trim().length < 8}>
        Compare and decide…
      </button>
    </form>
  )
}
