import { useState } from 'react'
import { useHub } from '../../api/hub'
import { LifetimeChoice } from './lifetimes'
import { Allows, ceremonyAddress, Step, StepsPanel, type Told } from './steps'

const DAY = 86_400
const LIFETIMES = [DAY, 7 * DAY, 30 * DAY, 90 * DAY] as const
const MOST = 365 * DAY
const ROLES = [
  ['viewer', 'Read the flows of this vault.'],
  ['editor', 'Read flows, propose changes and start runs.'],
  ['evaluator', 'Read flows and evaluate proposals.'],
  ['admin', 'All of this vault: approve, make tokens, read the audit log. Rarely right for an agent.'],
] as const

/** A token in steps. The least is chosen. */
export function NewToken({ close }: { close: () => void }) {
  const { vault } = useHub()
  const [role, setRole] = useState<(typeof ROLES)[number][0]>('viewer')
  const [ttl, setTtl] = useState<number>(30 * DAY)
  const [label, setLabel] = useState('')
  const wanted = { role, ttl_seconds: ttl, ...(label.trim() !== '' && { label: label.trim() }) }
  const told: Told[] = [
    { is: 'yes', text: ROLES.find(([name]) => name === role)?.[1] },
    { is: 'until', text: `For ${ttl / DAY} ${ttl === DAY ? 'day' : 'days'}.` },
    { is: 'no', text: 'No other vault, no toolbox, nothing of the owner.' },
    { is: 'ends', text: 'Ends at once by Revoke, a stop, or its time.' },
  ]
  return (
    <StepsPanel title="New token" close={close}>
      <ol className="steps">
        <Step number={1} title="Role" isDone note="The least that will do.">
          <ul className="ticks">
            {ROLES.map(([name]) => (
              <li key={name}>
                <label>
                  <input type="radio" name="role" checked={role === name} onChange={() => setRole(name)} />
                  {name}
                </label>
              </li>
            ))}
          </ul>
        </Step>
        <Step number={2} title="Limits" isDone>
          <LifetimeChoice chosen={ttl} most={MOST} choose={setTtl} offered={LIFETIMES} />
        </Step>
        <Step
          number={3}
          title="Name"
          isDone={label.trim() !== ''}
          note="so that you know it again in Activity"
        >
          <input
            aria-label="Name of the token"
            placeholder="brief-writer"
            value={label}
            maxLength={64}
            autoComplete="off"
            onChange={(event) => setLabel(event.target.value)}
          />
        </Step>
      </ol>
      <Allows told={told} />
      <footer className="steps-foot">
        <span className="small faint">The next page makes it and shows its bearer once.</span>
        <a className="button main" href={ceremonyAddress('token', vault, wanted)}>
          Go and make it…
        </a>
      </footer>
    </StepsPanel>
  )
}
