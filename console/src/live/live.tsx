import { type Query, useQueryClient } from '@tanstack/react-query'
import { createContext, type ReactNode, useContext, useEffect, useRef, useState } from 'react'
import { type Change, followHub, type LiveState } from './stream'

declare module '@tanstack/react-query' {
  interface Register {
    queryMeta: {
      /** The kinds of change after which the answer may be another. */
      follows?: RegExp
    }
  }
}

/** Changes that come together are answered by one read. */
const GATHER_MS = 250
/** Without the stream the page asks by itself. */
const POLL_MS = 10_000

interface Live {
  readonly state: LiveState
  /** Hears of changes as they come; answers how to stop. */
  readonly onChanges: (listen: (changes: readonly Change[]) => void) => () => void
}

const LiveContext = createContext<Live>({ state: { live: true }, onChanges: () => () => {} })

/** Keeps what is shown in step with the hub: a change has the queries that follow its kind read again. */
export function LiveProvider({ children }: { children: ReactNode }) {
  const queries = useQueryClient()
  const [state, setState] = useState<LiveState>({ live: true })
  const listeners = useRef(new Set<(changes: readonly Change[]) => void>())
  useEffect(() => {
    let due = new Set<string>()
    let timer: ReturnType<typeof setTimeout> | undefined
    const refresh = (wanted: (query: Query) => boolean) =>
      void queries.invalidateQueries({ predicate: wanted }, { cancelRefetch: false })
    const flush = () => {
      timer = undefined
      const kinds = [...due]
      due = new Set()
      refresh(({ meta }) => meta?.follows !== undefined && kinds.some((kind) => meta.follows?.test(kind)))
    }
    return followHub({
      changes(changes) {
        for (const { kind } of changes) due.add(kind)
        timer ??= setTimeout(flush, GATHER_MS)
        for (const listen of listeners.current) listen(changes)
      },
      missed: () => refresh(({ meta }) => meta?.follows !== undefined),
      state: setState,
    })
  }, [queries])
  useEffect(() => {
    if (state.live) return
    const timer = setInterval(
      () => void queries.invalidateQueries({ predicate: ({ meta }) => meta?.follows !== undefined }),
      POLL_MS,
    )
    return () => clearInterval(timer)
  }, [queries, state])
  const [live] = useState(() => ({
    onChanges(listen: (changes: readonly Change[]) => void) {
      listeners.current.add(listen)
      return () => void listeners.current.delete(listen)
    },
  }))
  return <LiveContext value={{ state, onChanges: live.onChanges }}>{children}</LiveContext>
}

export function useLive(): Live {
  return useContext(LiveContext)
}
