import { setImmediate as nextTurn } from 'node:timers/promises'
import type { RedactValue } from '../../redaction/lazy-redactors.ts'
import type { Database } from '../../storage/database.ts'
import type { Embedder, KnowledgeDocument } from '../knowledge.ts'
import { chunkRecord, recordPathOf, recordPathsOf } from './record-document.ts'
import {
  hasConnection,
  listStreamStates,
  type RecordPlace,
  type RecordStep,
  readStep,
  type StreamState,
} from './record-steps.ts'

/** Where records are read from, and what takes the secrets out of them. */
export interface RecordSource {
  readonly db: Database
  readonly redactValue: RedactValue
}

/** Brings the index to where the connections are, or as far as so many steps lead. */
export async function bringUpToDate(
  hub: RecordSource,
  place: RecordPlace,
  embedder: Embedder,
  connection_ids: readonly string[],
  steps_max: number,
): Promise<{ is_complete: boolean; present: string[] }> {
  const cursors = await place.listCursors()
  const indexed = new Set(cursors.map(({ connection_id }) => connection_id))
  const places = new Map(cursors.map(({ connection_id, stream, seq }) => [`${connection_id}/${stream}`, seq]))
  const present: string[] = []
  let steps = 0
  let is_complete = true
  for (const connection_id of connection_ids) {
    if (!(await hasConnection(hub.db, connection_id))) {
      if (indexed.has(connection_id)) await hub.db.transaction((tx) => place.erase(tx, connection_id))
      continue
    }
    present.push(connection_id)
    const states = await listStreamStates(hub.db, connection_id)
    const placeOf = ({ stream }: StreamState) => places.get(`${connection_id}/${stream}`) ?? 0
    // The index is ahead of a database that was put back to an earlier state: it begins anew.
    const is_ahead = states.some((state) => placeOf(state) > state.last_seq)
    if (is_ahead) await hub.db.transaction((tx) => place.erase(tx, connection_id))
    for (const state of states) {
      const at = is_ahead ? 0 : placeOf(state)
      const done = await followStream(hub, place, embedder, { connection_id, state, at }, steps_max - steps)
      steps += done.steps
      is_complete &&= done.is_complete
    }
  }
  return { is_complete, present }
}

interface Following {
  readonly connection_id: string
  readonly state: StreamState
  readonly at: number
}

async function followStream(
  hub: RecordSource,
  place: RecordPlace,
  embedder: Embedder,
  { connection_id, state, at }: Following,
  steps_max: number,
): Promise<{ steps: number; is_complete: boolean }> {
  let after = at
  let steps = 0
  while (after < state.last_seq) {
    if (steps >= steps_max) return { steps, is_complete: false }
    const step = await readStep(hub.db, connection_id, state, after)
    steps += 1
    const is_taken = await applyStep(hub, place, embedder, step)
    await nextTurn()
    // Whoever else is at the same has got there first, or the connection was deleted just now.
    if (is_taken) after = step.until
    else if (await hasConnection(hub.db, connection_id)) after = await findPlace(place, connection_id, state)
    else break
  }
  return { steps, is_complete: true }
}

async function findPlace(
  place: RecordPlace,
  connection_id: string,
  { stream }: StreamState,
): Promise<number> {
  const cursors = await place.listCursors()
  return cursors.find((one) => one.connection_id === connection_id && one.stream === stream)?.seq ?? 0
}

/** Everything is made ready before the transaction, which others wait behind. */
async function applyStep(
  { db, redactValue }: RecordSource,
  place: RecordPlace,
  embedder: Embedder,
  step: RecordStep,
): Promise<boolean> {
  const { connection_id, stream, after, until } = step
  const documents: KnowledgeDocument[] = []
  for (const record of step.records) {
    const path = await recordPathOf(redactValue, record)
    const chunks = await chunkRecord(redactValue, JSON.parse(record.data_json))
    documents.push({ path, sha256: record.hash, chunks, vectors: await embedder.embedChunks(path, chunks) })
  }
  const gone = step.removed_keys.flatMap((record_key) => recordPathsOf({ connection_id, stream, record_key }))
  return db.transaction((tx) =>
    place.apply(tx, embedder, { connection_id, stream, after, seq: until, documents, gone }),
  )
}
