import { existsSync, rmSync } from 'node:fs'
import type { Home } from '../../basics/home.ts'
import { type PartOwner, partOf } from '../../basics/part-of.ts'
import type { Transaction } from '../../storage/database.ts'
import { isDamage } from '../index/index-open.ts'
import type { Embedder, KnowledgeHit } from '../knowledge.ts'
import { openStaticEmbedder } from '../vectors/static-embedder.ts'
import { bringUpToDate, type RecordSource } from './follow-records.ts'
import { recordPrefixOf } from './record-document.ts'
import { eraseRecordSpace, openRecordSpace } from './record-place-postgres.ts'
import { openRecordFile } from './record-place-sqlite.ts'
import type { RecordPlace } from './record-steps.ts'

/** Steps that a search does itself before it answers; the rest is done while the hub runs. */
const STEPS_OF_A_SEARCH = 20
const STEPS_OF_A_ROUND = 200
const CONNECTIONS_MAX = 1_000

/** What the index of records needs of a hub. */
export interface RecordHub extends RecordSource, PartOwner {
  readonly home: Pick<Home, 'recordIndex'>
  readonly closing: (() => Promise<void>)[]
}

/** What was found, and whether all that was asked about was in the index. */
export interface FoundRecords {
  readonly hits: readonly KnowledgeHit[]
  readonly is_complete: boolean
}

/** A hub's index of what its connections have collected. */
export interface RecordIndex {
  /** Looks through the records of some connections, at or below some paths; those that are gone have none. */
  search(
    query: string,
    connection_ids: readonly string[],
    under: readonly string[],
    limit: number,
  ): Promise<FoundRecords>
  /** Takes in what changed in the connections that were ever asked about, and takes out those that are gone. */
  refresh(): Promise<void>
  /** Takes out all of a connection, in the transaction that deletes it and before its rows go. */
  erase(tx: Transaction, connection_id: string): Promise<void>
}

/** The index of a hub; it is made with the first search and closes with the hub. */
export const recordIndexOf = (hub: RecordHub) => partOf(hub, openRecordIndex)

function openRecordIndex(hub: RecordHub): RecordIndex {
  const { db } = hub
  const embedder = openStaticEmbedder()
  const place = keepPlace(hub, embedder)
  const asked = new Set<string>()
  let refreshing: Promise<void> | undefined
  const refresh = async () => {
    if (asked.size === 0 && !place.exists()) return
    const indexed = (await place.use((one) => one.listCursors())).map(({ connection_id }) => connection_id)
    const wanted = [...new Set([...indexed, ...asked])].slice(0, CONNECTIONS_MAX)
    await place.use((one) => bringUpToDate(hub, one, embedder, wanted, STEPS_OF_A_ROUND))
  }
  return {
    search: (query, connection_ids, under, limit) =>
      place.use(async (one) => {
        for (const connection_id of connection_ids) asked.add(connection_id)
        const { is_complete, present } = await bringUpToDate(
          hub,
          one,
          embedder,
          connection_ids,
          STEPS_OF_A_SEARCH,
        )
        const prefixes = under.filter((path) => present.some((id) => path.startsWith(recordPrefixOf(id))))
        return { hits: await one.store.search(query, embedder, { prefixes }, limit), is_complete }
      }),
    refresh: () => {
      refreshing ??= refresh().finally(() => {
        refreshing = undefined
      })
      return refreshing
    },
    async erase(tx, connection_id) {
      asked.delete(connection_id)
      if (db.kind === 'postgres') await eraseRecordSpace(tx, connection_id)
      else if (place.exists()) await place.use((one) => one.erase(tx, connection_id))
    },
  }
}

/** Keeps the place open. A damaged file is taken away and made anew: all that is in it is in the database. */
function keepPlace({ db, home, closing }: RecordHub, embedder: Embedder) {
  let opening: Promise<RecordPlace> | undefined
  const open = () =>
    (opening ??= (
      db.kind === 'postgres' ? openRecordSpace(db, embedder) : openRecordFile(home.recordIndex, embedder)
    ).catch((error) => {
      opening = undefined
      throw error
    }))
  const leave = async () => {
    const left = opening
    opening = undefined
    await left?.then((one) => one.close()).catch(() => {})
  }
  closing.push(leave)
  return {
    exists: () => opening !== undefined || db.kind === 'postgres' || existsSync(home.recordIndex),
    async use<Result>(work: (place: RecordPlace) => Promise<Result>): Promise<Result> {
      try {
        return await work(await open())
      } catch (error) {
        if (!isDamage(error)) throw error
        await leave()
        for (const ending of ['', '-wal', '-shm', '-journal'])
          rmSync(`${home.recordIndex}${ending}`, { force: true })
        return work(await open())
      }
    },
  }
}
