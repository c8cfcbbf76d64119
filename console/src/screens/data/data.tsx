import './data.css'
import { useSearch } from '@tanstack/react-router'
import { TabLinks } from '../../parts/tabs'
import { DATA_TABS } from '../../router'
import { Engines } from './engines'
import { Ledger } from './ledger'
import { Sources } from './sources'
import { Subscriptions } from './subscriptions'

const NAMES = {
  sources: 'Sources',
  subscriptions: 'Subscriptions',
  engines: 'Engines',
  ledger: 'Ledger',
} as const
const SHOWN = { sources: Sources, subscriptions: Subscriptions, engines: Engines, ledger: Ledger } as const

/** Is my data coming in, and what was made from what? */
export function Data() {
  const { tab = 'sources', item } = useSearch({ from: '/data' })
  const Shown = SHOWN[tab]
  return (
    <div className="page">
      <header className="page-head">
        <div>
          <h1>{NAMES[tab]}</h1>
          <p className="lead">What comes in, what engines make of it, and from what each thing was made.</p>
        </div>
      </header>
      <TabLinks label="Kinds of data" to="/data" names={NAMES} tabs={DATA_TABS} shown={tab} />
      <Shown item={item} />
    </div>
  )
}
