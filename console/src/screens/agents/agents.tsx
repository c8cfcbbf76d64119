import './agents.css'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { type ComponentType, lazy, Suspense } from 'react'
import { Icon } from '../../parts/icon'
import { TabLinks } from '../../parts/tabs'
import { AGENT_TABS } from '../../router'
import { Consents } from './consents'
import { Grants } from './grants'
import { Locks } from './locks'
import { NewGrant } from './new-grant'
import { OwnerAgents } from './owner-agents'
import { Seats } from './seats'
import { Tokens } from './tokens'

type Tab = (typeof AGENT_TABS)[number]
const NAMES: Readonly<Record<Tab, string>> = {
  grants: 'Grants',
  consents: 'Programs let in',
  seats: 'Toolbox seats',
  owner_agents: 'Owner agents',
  tokens: 'Tokens',
  locks: 'Locks',
  connect: 'Connect an agent',
}
/** What is needed less often comes when it is asked for. */
const Connect = lazy(() => import('./connect').then((part) => ({ default: part.Connect })))
const NewSeat = lazy(() => import('./new-seat').then((part) => ({ default: part.NewSeat })))
const NewToken = lazy(() => import('./new-token').then((part) => ({ default: part.NewToken })))

const SHOWN: Readonly<Record<Tab, ComponentType>> = {
  grants: Grants,
  consents: Consents,
  seats: Seats,
  owner_agents: OwnerAgents,
  tokens: Tokens,
  locks: Locks,
  connect: Connect,
}
/** What can be made, on which page it is offered, and the steps beside that page. */
const MAKES = {
  grant: { tab: 'grants', word: 'New grant', Steps: NewGrant },
  seat: { tab: 'seats', word: 'New seat', Steps: NewSeat },
  token: { tab: 'tokens', word: 'New token', Steps: NewToken },
} as const
type Making = keyof typeof MAKES

/** Who can do what, and for how long? */
export function Agents() {
  const { tab: named, make } = useSearch({ from: '/agents' })
  const navigate = useNavigate({ from: '/agents' })
  const tab = named ?? (make ? MAKES[make].tab : 'grants')
  const Shown = SHOWN[tab]
  const offered = (Object.keys(MAKES) as Making[]).find((one) => MAKES[one].tab === tab)
  const Steps = make && MAKES[make].Steps
  const close = () => void navigate({ search: ({ vault }) => ({ ...(vault && { vault }), tab }) })
  return (
    <div className={`page agents ${Steps ? 'with-steps' : ''}`}>
      <div className="agents-main">
        <header className="page-head">
          <div>
            <h1>{tab === 'connect' ? 'Connect an agent' : 'Agents'}</h1>
            <p className="lead">
              {tab === 'connect'
                ? 'It gets what you choose here, and nothing else. You see its first call arrive.'
                : 'Who can do what, and for how long. Taking something back counts from the next call.'}
            </p>
          </div>
          {offered && make !== offered && (
            <Link
              to="/agents"
              className="button main"
              search={({ vault }) => ({ ...(vault && { vault }), tab, make: offered })}
            >
              <Icon name="plus" /> {MAKES[offered].word}
            </Link>
          )}
        </header>
        <TabLinks label="Kinds of access" to="/agents" names={NAMES} tabs={AGENT_TABS} shown={tab} />
        <Suspense fallback={null}>
          <Shown />
        </Suspense>
      </div>
      {Steps && (
        <Suspense fallback={null}>
          <Steps close={close} />
        </Suspense>
      )}
    </div>
  )
}
