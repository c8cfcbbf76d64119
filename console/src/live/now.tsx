import { createContext, type ReactNode, useContext, useEffect, useState } from 'react'

const TICK_MS = 1_000
const NowContext = createContext(Date.now())

/** One clock for all ages and countdowns of a page, so that they change together. */
export function NowProvider({ children }: { children: ReactNode }) {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return <NowContext value={now}>{children}</NowContext>
}

export function useNow(): number {
  return useContext(NowContext)
}
