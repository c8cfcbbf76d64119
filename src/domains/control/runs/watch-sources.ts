import type { Hub } from '../../../operations/hub.ts'
import { reportFault } from '../../../operations/report-fault.ts'
import { partOf } from '../../../platform/basics/part-of.ts'
import { openSource } from '../connections/open-source.ts'
import { findCheckpoint } from '../records/record-store.ts'
import { openConnection } from './collect-pages.ts'
import { startRun } from './run-store.ts'
import { claimWatch, listWatchable, releaseWatches, WATCH_LIMIT } from './watch-store.ts'

/** Debounce: changes that come one after the other are collected together. */
const SETTLE_MS = 1_000

/** A source that this hub watches. */
interface Watched {
  /** Whether something changed that no run has been started for yet. */
  isChanged: boolean
  end(): Promise<void>
}

/** Watches sources in the background of one hub. */
interface Watcher {
  look(): Promise<void>
}

/** Takes up what is to be watched and not watched by another hub, and starts runs for what changed. */
export async function watchSources(hub: Hub): Promise<void> {
  await partOf(hub, createWatcher).look()
}

function createWatcher(hub: Hub): Watcher {
  const owner = `hub_${hub.system.random(12)}`
  const watched = new Map<string, Watched>()
  const onFault = (error: unknown) => reportFault(hub.log, 'watch_sources', error)
  let looking: Promise<void> | undefined
  let closed = false

  /** Where a run is under way already, the change waits for the next look. */
  const collect = async (connection_id: string) => {
    const one = watched.get(connection_id)
    if (!one?.isChanged || closed) return
    const wanted = { connection_id, cause: 'change', requested_by: 'hub' } as const
    const started = await hub.db.transaction((tx) => startRun(tx, hub, wanted))
    if (started !== 'run_already_active') one.isChanged = false
  }
  const take = async (connection_id: string) => {
    const one = await openWatch(hub, connection_id, () => void collect(connection_id).catch(onFault))
    if (one) watched.set(connection_id, one)
  }
  const look = async () => {
    const mine = await claimAll(hub, owner)
    for (const [connection_id, one] of watched) {
      if (mine.includes(connection_id)) continue
      watched.delete(connection_id)
      await one.end().catch(onFault)
    }
    for (const connection_id of mine) {
      if (!watched.has(connection_id) && watched.size < WATCH_LIMIT) await take(connection_id).catch(onFault)
      if (watched.get(connection_id)?.isChanged) await collect(connection_id)
    }
  }
  hub.closing.push(async () => {
    closed = true
    await looking?.catch(() => {})
    await Promise.allSettled([...watched.values()].map((one) => one.end()))
    if (watched.size > 0) await hub.db.transaction((tx) => releaseWatches(tx, owner))
  })
  return { look: () => (looking ??= look().finally(() => (looking = undefined))) }
}

/** The connections that this hub watches from now on, or still. */
async function claimAll(hub: Hub, owner: string): Promise<string[]> {
  const mine: string[] = []
  for (const { connection_id } of await listWatchable(hub, owner))
    if (await hub.db.transaction((tx) => claimWatch(tx, hub, connection_id, owner))) mine.push(connection_id)
  return mine
}

/** Begins to watch a source, where its connector can. */
async function openWatch(
  hub: Hub,
  connection_id: string,
  onSettled: () => void,
): Promise<Watched | undefined> {
  const { connection, collector } = await openConnection(hub, connection_id)
  if (!collector.watch) return undefined
  const stop = new AbortController()
  const checkpoint = await findCheckpoint(hub.db, connection_id)
  const source = openSource(hub, connection, { checkpoint, signal: stop.signal })
  let timer: NodeJS.Timeout | undefined
  // What changed before anybody watched is found by the first run.
  const one: Watched = { isChanged: true, end: async () => {} }
  const endWatch = collector.watch(source, () => {
    if (stop.signal.aborted) return
    one.isChanged = true
    timer ??= setTimeout(() => {
      timer = undefined
      onSettled()
    }, SETTLE_MS)
  })
  one.end = async () => {
    stop.abort()
    clearTimeout(timer)
    await endWatch()
  }
  return one
}
