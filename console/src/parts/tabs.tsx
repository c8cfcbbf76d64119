import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'

/** Parts of one page, each at an address of its own. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className="tabs" aria-label={label}>
      {children}
    </nav>
  )
}

/** Tabs that stand in the address as `tab`; the first one is the page without it. */
export function TabLinks<Tab extends string>(props: {
  label: string
  to: '/agents' | '/tools' | '/data' | '/settings'
  names: Readonly<Record<Tab, string>>
  tabs: readonly Tab[]
  shown: Tab
}) {
  const { label, to, names, tabs, shown } = props
  return (
    <Tabs label={label}>
      {tabs.map((tab, place) => (
        <Link
          key={tab}
          to={to}
          search={({ vault }) => ({ ...(vault && { vault }), ...(place > 0 && { tab: tab as never }) })}
          className={tab === shown ? 'is-here' : ''}
          aria-current={tab === shown ? 'page' : undefined}
        >
          {names[tab]}
        </Link>
      ))}
    </Tabs>
  )
}
