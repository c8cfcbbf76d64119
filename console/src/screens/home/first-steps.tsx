import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useHub } from '../../api/hub'
import { policyQuery } from '../../api/policy-queries'
import {
  consentsQuery,
  doctorQuery,
  grantsQuery,
  recordsQuery,
  seatsQuery,
  tokensQuery,
} from '../../api/queries'
import { Panel } from '../../parts/panel'
import { Status } from '../../parts/status'

const GATE = 'FLOW_EXTERNAL_AGENT_ENABLED'
const RECORDS_READ = 200
/** Who is no agent: the owner, and programs of the home itself. */
const OWN = ['owner_session', 'local', 'hub', 'anonymous']

interface Step {
  readonly name: string
  readonly note: string
  readonly isDone: boolean
  readonly to: '/tools' | '/agents' | '/activity'
  readonly tab?: string
  readonly act: string
}

/** The way to the first call of an agent; nothing of it is shown once there was one. */
export function FirstSteps() {
  const steps = useFirstSteps()
  const left = steps?.filter(({ isDone }) => !isDone).length ?? 0
  if (!steps || steps.at(-1)?.isDone) return null
  const next = steps.find(({ isDone }) => !isDone)
  return (
    <Panel title="First steps" note={`${steps.length - left} of ${steps.length} done`}>
      <ol className="rows first-steps">
        {steps.map((step) => (
          <li key={step.name}>
            <Status state={step.isDone ? 'intact' : 'off'}>
              <span className="unseen">{step.isDone ? 'done' : 'to do'}</span>
            </Status>
            <div>
              <b>{step.name}</b>
              <p className="small soft">{step.note}</p>
            </div>
            {!step.isDone && (
              <Link
                to={step.to as '/tools'}
                search={({ vault }) => ({
                  ...(vault && { vault }),
                  ...(step.tab && { tab: step.tab as 'policy' }),
                })}
                className={`button ${step === next ? 'main' : ''}`}
              >
                {step.act}
              </Link>
            )}
          </li>
        ))}
      </ol>
    </Panel>
  )
}

/** Undefined as long as it is not known; and where it could not be read nothing is claimed. */
function useFirstSteps(): Step[] | undefined {
  const hub = useHub()
  const records = useQuery(recordsQuery(hub, { hide_own_reads: true, limit: RECORDS_READ })).data?.records
  const hasCalled = records?.some(({ caller_kind }) => !OWN.includes(caller_kind))
  const enabled = hasCalled === false
  const findings = useQuery(doctorQuery(hub)).data?.findings
  const isOpen = findings?.some(({ subject, state }) => subject === GATE && state === 'on')
  const policy = useQuery({ ...policyQuery(hub), enabled }).data
  const grants = useQuery({ ...grantsQuery(hub), enabled: enabled && isOpen === true }).data?.grants ?? []
  const tokens = useQuery({ ...tokensQuery(hub), enabled }).data?.tokens
  const seats = useQuery({ ...seatsQuery(hub), enabled }).data?.sessions
  const consents = useQuery({ ...consentsQuery(hub), enabled }).data?.data
  if (!enabled || isOpen === undefined || !policy || !tokens || !seats || !consents) return undefined
  const hasAccess = [grants, tokens, seats, consents].some((list) => list.length > 0)
  return [
    {
      name: 'Open the gate for agents outside',
      note: 'Closed, no grant opens anything. You can close it again at any time.',
      isDone: isOpen,
      to: '/tools',
      tab: 'policy',
      act: 'Open the policy',
    },
    {
      name: 'Say which tools they may be given',
      note: 'A tool that is not on the allowlist can be in no grant.',
      isDone: policy.tools.length > 0,
      to: '/tools',
      act: 'Allowlist',
    },
    {
      name: 'Let an agent in',
      note: 'By a grant for one flow, a seat in a folder, or a program that signs in. Each ends by itself.',
      isDone: hasAccess,
      to: '/agents',
      act: 'Agents',
    },
    {
      name: 'See it call',
      note: 'Its first call shows up here and in Activity, allowed or refused with the reason.',
      isDone: false,
      to: '/activity',
      act: 'Activity',
    },
  ]
}
