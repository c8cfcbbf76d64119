import './data.css'
import { Link, useSearch } from '@tanstack/react-router'
import { Tabs } from '../../parts/tabs'
import { DATA_TABS } from '../../router'
import { Engines } from './engines'
import { Ledger } from './ledger'
import { Sources } from './sources'

const NAMES = { sources: 'Sources', engines: 'Engines', ledger: 'Ledger' } as const
const SHOWN = { sources: Sources, engines: Engines, ledger: Ledger } as const

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
      <Tabs label="Kinds of data">
        {DATA_TABS.map((one) => (
          <Link
            key={one}
            to="/data"
            search={({ vault }) => ({ ...(vault && { vault }), ...(one !== 'sources' && { tab: one }) })}
            className={one === tab ? 'is-here' : ''}
            aria-current={one === tab ? 'page' : undefined}
          >
            {NAMES[one]}
          </Link>
        ))}
      </Tabs>
      <Shown item={item} />
    </div>
  )
}
