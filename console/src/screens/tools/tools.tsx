import './tools.css'
import { useSearch } from '@tanstack/react-router'
import { TabLinks } from '../../parts/tabs'
import { TOOL_TABS } from '../../router'
import { Allowlist } from './allowlist'
import { Policy } from './policy'
import { Providers } from './providers'

const NAMES = { allowlist: 'Allowlist', providers: 'Providers', policy: 'Policy' } as const
const SHOWN = { allowlist: Allowlist, providers: Providers, policy: Policy } as const

/** What may a grant include, and is it still what was reviewed? */
export function Tools() {
  const { tab = 'allowlist' } = useSearch({ from: '/tools' })
  const Shown = SHOWN[tab]
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>Tools</h1>
          <p className="lead">
            What a grant may include, who serves it, and whether it is still what you reviewed.
          </p>
        </div>
      </header>
      <TabLinks label="About tools" to="/tools" names={NAMES} tabs={TOOL_TABS} shown={tab} />
      <Shown />
    </div>
  )
}
