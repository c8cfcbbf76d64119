import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ceremony } from '../../api/ceremony'
import { Refused } from '../../api/client'
import { useHub } from '../../api/hub'
import { sessionsQuery } from '../../api/settings-queries'
import { Ask } from '../../parts/ask'
import { Answer, Fault, Panel } from '../../parts/panel'
import { Ago, Left } from '../../parts/time'
import { Name } from '../../parts/words'
import { ALSO, Also, type AlsoName, CurrentPassword } from './proof'

const PASSWORD_CHARS = 12
const FIELD_CHARS = 1_024

/** How the owner is known, and where the owner is signed in. */
export function Account() {
  return (
    <>
      <Sessions />
      <Password />
    </>
  )
}

function Sessions() {
  const sessions = useQuery(sessionsQuery(useHub()))
  const [isAsked, setAsked] = useState(false)
  const leave = useMutation({
    mutationFn: () => ceremony('/owner/sign-out', {}),
    onSuccess: () => location.assign('/owner/sign-in?told=out'),
  })
  return (
    <Panel
      title="Where you are signed in"
      note="a session ends after 8 hours without use, and after 7 days in any case"
      aside={
        <button type="button" className="button" disabled={leave.isPending} onClick={() => leave.mutate()}>
          Sign out
        </button>
      }
    >
      {leave.error && <Fault error={leave.error} />}
      <Answer of={sessions}>
        {({ data }) => (
          <ul className="rows">
            {data.map(({ session_id, client, method, created_at, last_seen_at, expires_at, current }) => (
              <li key={session_id} className="row session-row">
                <div>
                  <b>
                    <Name text={client} />
                  </b>{' '}
                  {current && <span className="chip tone-ok">this browser</span>}
                  <p className="small faint">
                    signed in by {method.replace('_', ' ')}, <Ago at={created_at} suffix=" ago" />
                  </p>
                </div>
                <span className="soft">
                  used <Ago at={last_seen_at} suffix=" ago" />
                </span>
                <span className="soft">
                  ends in <Left until={expires_at} />
                </span>
              </li>
            ))}
          </ul>
        )}
      </Answer>
      <p className="note acts">
        <button type="button" className="button danger" onClick={() => setAsked(true)}>
          Sign out everywhere…
        </button>
      </p>
      {isAsked && <SignOutEverywhere close={() => setAsked(false)} />}
    </Panel>
  )
}

function SignOutEverywhere({ close }: { close: () => void }) {
  const [also, setAlso] = useState<ReadonlySet<AlsoName>>(new Set())
  const [current, setCurrent] = useState('')
  const end = useMutation({
    mutationFn: () =>
      ceremony('/owner/sign-out-everywhere', {
        ...alsoFields(also),
        ...(current !== '' && { current }),
      }),
    onSuccess: () => location.assign('/owner/sign-in?told=out'),
  })
  return (
    <Ask
      title="Sign out everywhere?"
      yes="Sign out everywhere"
      danger
      error={end.error}
      isBusy={end.isPending}
      onYes={() => end.mutate()}
      close={close}
    >
      <p>Every session ends, this one too, and every link for signing in that is still open.</p>
      <Also also={also} setAlso={setAlso} />
      {also.size > 0 && <CurrentPassword error={end.error} value={current} setValue={setCurrent} isAsked />}
    </Ask>
  )
}

function Password() {
  const queries = useQueryClient()
  const [current, setCurrent] = useState('')
  const [password, setPassword] = useState('')
  const [also, setAlso] = useState<ReadonlySet<AlsoName>>(new Set())
  const change = useMutation({
    mutationFn: () =>
      ceremony('/owner/password', { ...(current !== '' && { current }), password, ...alsoFields(also) }),
    onSuccess: async () => {
      setCurrent('')
      setPassword('')
      setAlso(new Set())
      await queries.invalidateQueries()
    },
  })
  const isWrong = change.error instanceof Refused && change.error.code === 'invalid_credentials'
  return (
    <Panel title="Password" note="a new one signs every other browser out, and ends open links">
      <form
        className="settings-form"
        onSubmit={(event) => {
          event.preventDefault()
          change.mutate()
        }}
      >
        <input name="username" value="owner" autoComplete="username" readOnly hidden />
        <label className="field">
          <span>
            Password as it is now{' '}
            <span className="small faint">not asked right after a link or a passkey</span>
          </span>
          <input
            type="password"
            autoComplete="current-password"
            value={current}
            maxLength={FIELD_CHARS}
            onChange={({ target }) => setCurrent(target.value)}
          />
        </label>
        <label className="field">
          New password, at least {PASSWORD_CHARS} characters
          <input
            type="password"
            autoComplete="new-password"
            value={password}
            minLength={PASSWORD_CHARS}
            maxLength={FIELD_CHARS}
            required
            onChange={({ target }) => setPassword(target.value)}
          />
        </label>
        <details>
          <summary className="small soft">Did somebody else get in?</summary>
          <Also also={also} setAlso={setAlso} />
        </details>
        {isWrong && (
          <p className="tone-no" role="alert">
            That is not the password as it is now.
          </p>
        )}
        {change.error && !isWrong && <Fault error={change.error} />}
        {change.isSuccess && (
          <p className="tone-ok" role="status">
            The password is changed.
          </p>
        )}
        <button className="button main" disabled={change.isPending || password.length < PASSWORD_CHARS}>
          Change the password
        </button>
      </form>
    </Panel>
  )
}

/** The routes take what is ticked as the boxes of a form. */
function alsoFields(also: ReadonlySet<AlsoName>): object {
  return Object.fromEntries(
    Object.keys(ALSO).flatMap((name) => (also.has(name as AlsoName) ? [[name, 'yes']] : [])),
  )
}
