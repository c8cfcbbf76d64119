import BetterSqlite from 'better-sqlite3'
import { makePrivate } from '../index/index-place.ts'
import type { Embedder } from '../knowledge.ts'
import { openEmbeddedStore } from '../stores/embedded/embedded-store.ts'
import { recordPrefixOf } from './record-document.ts'
import { hasConnection, type RecordCursor, type RecordPlace } from './record-steps.ts'

const WAIT_MS = 10_000
/** Changes when records are put into the index otherwise than before: it is then made anew. */
const FORM = 1
const SCHEMA = `
  CREATE TABLE IF NOT EXISTS record_cursors (
    connection_id TEXT NOT NULL, stream TEXT NOT NULL, seq INTEGER NOT NULL, PRIMARY KEY (connection_id, stream)
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS record_form (form TEXT NOT NULL);
`

/** Opens the index in a file of the home; one of another form, or of another embedder, is emptied. */
export async function openRecordFile(file: string, embedder: Embedder): Promise<RecordPlace> {
  makePrivate(file)
  const store = openEmbeddedStore(file)
  const cursors = openCursors(file)
  const form = `${FORM} ${embedder.id}`
  if (cursors.readForm() !== form) {
    await store.clear()
    cursors.reset(form)
  }
  return {
    store,
    listCursors: async () => cursors.list(),
    // One transaction of the hub at a time, over all its processes: no delete comes in between.
    async apply(tx, by, { connection_id, stream, after, seq, documents, gone }) {
      if (!(await hasConnection(tx, connection_id)) || cursors.read(connection_id, stream) !== after)
        return false
      await store.removeDocuments(gone)
      await store.replaceDocuments(by, documents)
      cursors.write(connection_id, stream, seq)
      return true
    },
    async erase(_tx, connection_id) {
      cursors.remove(connection_id)
      await store.removeDocuments(cursors.listPaths(recordPrefixOf(connection_id)))
    },
    async close() {
      cursors.close()
      await store.close()
    },
  }
}

/** The cursors lie beside the documents, in the same file: what takes the one away takes the other. */
function openCursors(file: string) {
  const db = new BetterSqlite(file, { timeout: WAIT_MS })
  db.exec(SCHEMA)
  const all = db.prepare<[], RecordCursor>('SELECT connection_id, stream, seq FROM record_cursors')
  const one = db.prepare<[string, string], { seq: number }>(
    'SELECT seq FROM record_cursors WHERE connection_id = ? AND stream = ?',
  )
  const put = db.prepare(
    'INSERT OR REPLACE INTO record_cursors (connection_id, stream, seq) VALUES (?, ?, ?)',
  )
  const remove = db.prepare('DELETE FROM record_cursors WHERE connection_id = ?')
  const paths = db.prepare<[string, string], { path: string }>(
    'SELECT path FROM documents WHERE path >= ? AND path < ?',
  )
  const form = db.prepare<[], { form: string }>('SELECT form FROM record_form')
  const reset = db.transaction((now: string) => {
    db.exec('DELETE FROM record_cursors; DELETE FROM record_form')
    db.prepare('INSERT INTO record_form (form) VALUES (?)').run(now)
  })
  return {
    list: () => all.all(),
    read: (connection_id: string, stream: string) => one.get(connection_id, stream)?.seq ?? 0,
    write: (connection_id: string, stream: string, seq: number) => void put.run(connection_id, stream, seq),
    remove: (connection_id: string) => void remove.run(connection_id),
    /** A prefix ends in `/`, after which `0` comes next. */
    listPaths: (prefix: string) => paths.all(prefix, `${prefix.slice(0, -1)}0`).map(({ path }) => path),
    readForm: () => form.get()?.form,
    reset,
    close: () => void db.close(),
  }
}
