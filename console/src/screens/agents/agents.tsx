import './agents.css'
import { useSearch } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { TabLinks } from '../../parts/tabs'
import { AGENT_TABS } from '../../router'
import { Consents } from './consents'
import { Grants } from './grants'
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
}
const SHOWN: Readonly<Record<Tab, ComponentType>> = {
  grants: Grants,
  consents: Consents,
  seats: Seats,
  owner_agents: OwnerAgents,
  tokens: Tokens,
}

/** Who can do what, and for how long? */
export function Agents() {
  const { tab = 'grants' } = useSearch({ from: '/agents' })
  const Shown = SHOWN[tab]
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>Agents</h1>
          <p className="lead">
            Who can do what, and for how long. Taking something back counts from the next call.
          </p>
        </div>
        <a className="button main" href="/owner/external-agents">
          New grant…
        </a>
      </header>
      <TabLinks label="Kinds of access" to="/agents" names={NAMES} tabs={AGENT_TABS} shown={tab} />
      <Shown />
    </div>
  )
}
