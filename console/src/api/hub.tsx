import { useSearch } from '@tanstack/react-router'
import { createContext, type ReactNode, useContext, useMemo } from 'react'
import { type Client, openClient } from './client'

const DEFAULT_VAULT = 'default'

/** The hub as one page sees it: the vault that it is about, and the way to ask. */
export interface Hub {
  readonly vault: string
  readonly client: Client
}

const HubContext = createContext<Hub | undefined>(undefined)

/** The vault stands in the address, so that a link leads where it was made. */
export function HubProvider({ children }: { children: ReactNode }) {
  const { vault = DEFAULT_VAULT } = useSearch({ strict: false }) as { vault?: string }
  const hub = useMemo(() => ({ vault, client: openClient(vault) }), [vault])
  return <HubContext value={hub}>{children}</HubContext>
}

export function useHub(): Hub {
  const hub = useContext(HubContext)
  if (!hub) throw new Error('There is no hub around this part.')
  return hub
}
