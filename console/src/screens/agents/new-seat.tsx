import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'
import { seatPreviewQuery, type WantedSeat } from '../../api/agent-queries'
import { useHub } from '../../api/hub'
import type { SeatPreview } from '../../api/shapes'
import { Fault } from '../../parts/panel'
import { exactTime } from '../../parts/time'
import { Name } from '../../parts/words'
import { LifetimeChoice } from './lifetimes'
import { Allows, ceremonyAddress, Step, StepsPanel, type Told } from './steps'

const HOUR = 3_600
const LIFETIMES = [HOUR, 4 * HOUR, 8 * HOUR, 24 * HOUR, 7 * 24 * HOUR] as const
const MOST = 30 * 24 * HOUR
const ROLES = [
  ['dev', 'Developer', 'reads, edits, tests and commits in the service'],
  ['sre', 'Site reliability', 'asks about the system and restarts what is listed'],
  ['release_manager', 'Release manager', 'installs packages and migrates settings'],
  ['product_owner', 'Product owner', 'reads and searches'],
] as const
/** The agent is locked by this name too, so it is one word. */
const AGENT_NAME = /^[A-Za-z0-9][A-Za-z0-9_.:-]{0,63}$/

/** A seat in steps: where, as what, how long, under which name. Beside them what it would allow. */
export function NewSeat({ close }: { close: () => void }) {
  const hub = useHub()
  const [service, setService] = useState('')
  const [role, setRole] = useState<WantedSeat['role']>('dev')
  const [ttl, setTtl] = useState<number>(8 * HOUR)
  const [agent, setAgent] = useState('')
  const isNamed = agent === '' || AGENT_NAME.test(agent)
  const wanted: WantedSeat = {
    service: service.trim(),
    role,
    ttl_seconds: ttl,
    ...(agent !== '' && isNamed && { agent_id: agent }),
  }
  // The folder is looked at when somebody has stopped typing for a moment.
  const settled = useDeferredValue(wanted)
  const preview = useQuery({
    ...seatPreviewQuery(hub, settled),
    enabled: settled.service !== '',
    placeholderData: keepPreviousData,
  })
  const shown = preview.error ? undefined : preview.data
  const isReady = shown !== undefined && !preview.isPlaceholderData && isNamed
  return (
    <StepsPanel title="New seat" close={close}>
      <ol className="steps">
        <Step
          number={1}
          title="Service"
          isDone={shown !== undefined}
          note="The folder it may change, by its whole path on the machine of the hub."
        >
          <input
            aria-label="Folder of the service"
            className="mono"
            placeholder="/home/me/project/services/web"
            value={service}
            spellCheck={false}
            autoComplete="off"
            onChange={(event) => setService(event.target.value)}
          />
          {preview.error && <Fault error={preview.error} />}
        </Step>
        <Step number={2} title="Role" isDone>
          <ul className="ticks">
            {ROLES.map(([id, name, what]) => (
              <li key={id}>
                <label>
                  <input type="radio" name="role" checked={role === id} onChange={() => setRole(id)} />
                  {name} <span className="small faint">{what}</span>
                </label>
              </li>
            ))}
          </ul>
        </Step>
        <Step number={3} title="Limits" isDone>
          <LifetimeChoice chosen={ttl} most={MOST} choose={setTtl} offered={LIFETIMES} />
        </Step>
        <Step
          number={4}
          title="Name"
          isDone={agent !== '' && isNamed}
          note="by which you recognise and stop it"
        >
          <input
            aria-label="Name of the agent"
            placeholder="web-dev"
            value={agent}
            maxLength={64}
            autoComplete="off"
            aria-invalid={!isNamed}
            onChange={(event) => setAgent(event.target.value)}
          />
          {!isNamed && <p className="small tone-no">Letters, digits and . _ : - only, without spaces.</p>}
        </Step>
      </ol>
      {shown && <Allows told={tell(shown)} />}
      <footer className="steps-foot">
        <span className="small faint">The next page gives it and shows its bearer once.</span>
        {isReady ? (
          <a className="button main" href={ceremonyAddress('seat', hub.vault, wanted)}>
            Go and give it…
          </a>
        ) : (
          <button type="button" className="button main" disabled>
            Go and give it…
          </button>
        )}
      </footer>
    </StepsPanel>
  )
}

function tell(preview: SeatPreview): Told[] {
  const { service_root, project_root, role, expires_at, tools, allowed_commands } = preview
  const allowed = tools.filter((tool) => tool.allowed)
  const closed = tools.filter((tool) => !tool.allowed).map(({ name }) => name)
  const out = allowed.filter(({ reaches_out }) => reaches_out).map(({ name }) => name)
  const changing = allowed.filter(({ effect }) => effect !== 'read').map(({ name }) => name)
  const reading = allowed.filter(({ effect }) => effect === 'read').map(({ name }) => name)
  return [
    {
      is: 'yes',
      text: (
        <>
          Work in <Name text={service_root} />, of <Name text={project_root} />, as <b>{role}</b>.
        </>
      ),
    },
    { is: 'yes', text: <>Look: {reading.join(', ')}.</> },
    ...(changing.length > 0 ? [{ is: 'yes' as const, text: <>Change: {changing.join(', ')}.</> }] : []),
    ...(out.length > 0
      ? [{ is: 'yes' as const, text: <>Reach other machines with {out.join(', ')}.</> }]
      : []),
    {
      is: 'yes',
      text:
        allowed_commands === null
          ? 'Run each command that the project lists, in the sandbox.'
          : `Run only ${allowed_commands.join(', ')}, in the sandbox.`,
    },
    {
      is: 'until',
      text: (
        <>
          Until <b>{exactTime(expires_at)}</b>.
        </>
      ),
    },
    ...(closed.length > 0 ? [{ is: 'no' as const, text: <>Not {closed.join(', ')}.</> }] : []),
    { is: 'no', text: 'No file outside but what the project shares, no flow, no grant, no source.' },
    { is: 'ends', text: 'Ends at once by End seat, a stop, or its time.' },
  ]
}
