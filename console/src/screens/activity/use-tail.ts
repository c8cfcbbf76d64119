import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useState } from 'react'
import { answerOf } from '../../api/client'
import { useHub } from '../../api/hub'
import type { RecordFilter } from '../../api/queries'
import { useLive } from '../../live/live'
import type { AuditRecord } from '../../parts/bars'
import { listOf } from './record-list'

const PAGE = 200
/** Reads of what is new are no more often than this, however much happens. */
const GATHER_MS = 400
/** What came while somebody reads is counted, and only so much of it is kept. */
const KEPT_LIMIT = 2_000

/**
 * The records that fit, newest first: older ones page by page as they are scrolled to, newer ones as they come. While
 * somebody reads, new ones wait aside, so that no row moves.
 */
export function useTail(filter: RecordFilter, isHeld: boolean) {
  const { vault, client } = useHub()
  const queries = useQueryClient()
  const key = useMemo(() => ['audit_tail', vault, filter], [vault, filter])
  const older = useInfiniteQuery({
    queryKey: key,
    initialPageParam: undefined as number | undefined,
    queryFn: ({ pageParam, signal }) =>
      answerOf(
        client.GET('/api/v1/audit', {
          params: { query: { ...filter, limit: PAGE, ...(pageParam && { before_seq: pageParam }) } },
          signal,
        }),
      ),
    getNextPageParam: ({ next_before_seq }) => next_before_seq ?? undefined,
    staleTime: Number.POSITIVE_INFINITY,
    // Records never change, so pages that are known are not compared with themselves at each further one.
    structuralSharing: false,
  })
  const first = older.data?.pages[0]?.records[0]?.seq ?? 0
  const { newer, skipped } = useNewer(filter, older.data === undefined ? undefined : first)
  const [shownNewer, setShownNewer] = useState<readonly AuditRecord[]>([])
  useEffect(() => {
    if (!isHeld) setShownNewer(newer)
  }, [isHeld, newer])
  const records = useMemo(
    () => listOf([shownNewer, ...(older.data?.pages ?? []).map((page) => page.records)]),
    [shownNewer, older.data],
  )
  return {
    older,
    records,
    waiting: Math.max(0, newer.length - shownNewer.length),
    skipped,
    showAll: () => setShownNewer(newer),
    readAnew: () => queries.resetQueries({ queryKey: key }),
  }
}

/** What came since a record, gathered as the stream tells of it. */
function useNewer(filter: RecordFilter, first: number | undefined) {
  const { client } = useHub()
  const { onChanges } = useLive()
  const [newer, setNewer] = useState<readonly AuditRecord[]>([])
  const [skipped, setSkipped] = useState(false)
  useEffect(() => {
    setNewer([])
    setSkipped(false)
    if (first === undefined) return
    const ended = new AbortController()
    let top = first
    let timer: ReturnType<typeof setTimeout> | undefined
    let isReading = false
    let isDue = false
    const read = async () => {
      const query = { ...filter, after_seq: top, limit: PAGE }
      const asked = client.GET('/api/v1/audit', { params: { query }, signal: ended.signal })
      const { records } = await answerOf(asked)
      if (ended.signal.aborted || records.length === 0) return
      top = records[0]?.seq ?? top
      // More came than one page holds: what lies between is found by reading anew.
      if (records.length >= PAGE) setSkipped(true)
      setNewer((known) => [...records, ...known].slice(0, KEPT_LIMIT))
    }
    const wake = () => {
      if (isReading) isDue = true
      else timer ??= setTimeout(() => void look(), GATHER_MS)
    }
    const look = async () => {
      timer = undefined
      isReading = true
      isDue = false
      // What fails is read with the next change: the list says so itself where nothing can be read.
      await read().catch(() => undefined)
      isReading = false
      if (isDue) wake()
    }
    const stop = onChanges(wake)
    return () => {
      stop()
      clearTimeout(timer)
      ended.abort()
    }
  }, [client, filter, first, onChanges])
  return { newer, skipped }
}
