import type { ReactNode } from 'react'

/** Parts of one page, each at an address of its own. */
export function Tabs({ label, children }: { label: string; children: ReactNode }) {
  return (
    <nav className="tabs" aria-label={label}>
      {children}
    </nav>
  )
}
