import { type Database, type Reader, sql, type Transaction } from '../../storage/database.ts'
import type { Embedder } from '../knowledge.ts'
import {
  clearSpace,
  eraseDocumentsAt,
  openPostgresStore,
  putDocuments,
  takeDocuments,
} from '../stores/postgres-store.ts'
import { recordPrefixOf } from './record-document.ts'
import type { RecordCursor, RecordPlace } from './record-steps.ts'

/** Changes when records are put into the index otherwise than before: it is then made anew. */
const SPACE = 'records/1'

// Whoever deletes the connection holds its row: then this waits, and finds none.
const holdConnection = sql<{ connection_id: string }>(
  'SELECT connection_id FROM connections WHERE connection_id = ? FOR UPDATE',
)
const listCursors = sql<RecordCursor>(
  'SELECT connection_id, stream, seq FROM knowledge_cursors WHERE space = ?',
)
const findCursor = sql<{ seq: number }>(
  'SELECT seq FROM knowledge_cursors WHERE space = ? AND connection_id = ? AND stream = ?',
)
const putCursor = sql(
  `INSERT INTO knowledge_cursors (space, connection_id, stream, seq) VALUES (?, ?, ?, ?)
   ON CONFLICT (space, connection_id, stream) DO UPDATE SET seq = excluded.seq`,
)
const removeCursors = sql('DELETE FROM knowledge_cursors WHERE space = ? AND connection_id = ?')
const removeAllCursors = sql('DELETE FROM knowledge_cursors WHERE space = ?')

/** Opens the index in the hub's PostgreSQL; one of another embedder is emptied. */
export async function openRecordSpace(db: Database, embedder: Embedder): Promise<RecordPlace> {
  const store = await openPostgresStore(db, SPACE)
  if (store.embedder_id !== undefined && store.embedder_id !== embedder.id)
    await db.transaction(async (tx) => {
      await tx.run(removeAllCursors, SPACE)
      await clearSpace(tx, SPACE)
    })
  return {
    store,
    listCursors: () => db.all(listCursors, SPACE),
    async apply(tx, by, { connection_id, stream, after, seq, documents, gone }) {
      if (!(await tx.get(holdConnection, connection_id))) return false
      if ((await cursorOf(tx, connection_id, stream)) !== after) return false
      await takeDocuments(tx, SPACE, gone)
      await putDocuments(tx, SPACE, by, documents)
      await tx.run(putCursor, SPACE, connection_id, stream, seq)
      return true
    },
    erase: eraseRecordSpace,
    close: () => store.close(),
  }
}

/** Takes all of a connection out, with nothing but the transaction that deletes it. */
export async function eraseRecordSpace(tx: Transaction, connection_id: string): Promise<void> {
  await tx.run(removeCursors, SPACE, connection_id)
  await eraseDocumentsAt(tx, SPACE, recordPrefixOf(connection_id))
}

async function cursorOf(tx: Reader, connection_id: string, stream: string): Promise<number> {
  return (await tx.get(findCursor, SPACE, connection_id, stream))?.seq ?? 0
}
