import BetterSqlite from 'better-sqlite3'
import { blameFile, IndexDamaged } from './damaged-index.ts'

export type Connection = BetterSqlite.Database

/** An index of another format is made anew. */
const FORMAT = 4
const APPLICATION_ID = 0x6b6e6f77
const WAIT_MS = 10_000
/** A large index is read all over by one question. */
const CACHE_KIB = 16_384
/** Only of a new file; in larger pages less room is lost. */
const PAGE_BYTES = 16_384
/** Words that FTS5 gathers before it writes them: the more, the fewer segments have to be merged later. */
const WORDS_BYTES = 16 * 1_048_576
/** Segments that are kept beside each other: to merge them sooner costs more than to search in each of them. */
const WORDS_SEGMENTS = 16
/** SQLite keeps whatever is given to it in any column; no embedder makes longer vectors. */
export const VECTOR_MAX_BYTES = 8_192

/** The fact that keeps the last id of a chunk, so that none is used again, whatever is taken out. */
export const LAST_CHUNK = 'last_chunk'

/**
 * The chunks of a document have ids one after the other, and ids are never used again. `words` is a contentless FTS5
 * table of stems: their text is not stored, and whoever takes a chunk out gives the same stems again.
 */
const TABLES = `
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE documents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  path TEXT NOT NULL UNIQUE,
  sha256 TEXT NOT NULL,
  chunk_count INTEGER NOT NULL
);
CREATE TABLE chunks (
  id INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL,
  kind INTEGER NOT NULL,
  length INTEGER NOT NULL,
  vector BLOB NOT NULL,
  name TEXT NOT NULL,
  start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL,
  counts BLOB NOT NULL,
  text TEXT NOT NULL
);
CREATE INDEX chunks_of_document ON chunks (document_id);
CREATE VIRTUAL TABLE words USING fts5(body, name, owner, path, content='', tokenize='ascii');
CREATE VIRTUAL TABLE stems USING fts5vocab(words, 'row');
INSERT INTO words (words, rank) VALUES ('hashsize', ${WORDS_BYTES});
INSERT INTO words (words, rank) VALUES ('automerge', ${WORDS_SEGMENTS});
`

/** Opens an index file, making it where there is none. */
export function connectIndex(file: string): Connection {
  return blameFile(file, () => {
    const connection = new BetterSqlite(file, { timeout: WAIT_MS })
    try {
      prepareIndex(file, connection)
      return connection
    } catch (error) {
      connection.close()
      throw error
    }
  })
}

function prepareIndex(file: string, connection: Connection): void {
  connection.pragma(`page_size = ${PAGE_BYTES}`)
  connection.pragma('journal_mode = WAL')
  connection.pragma('synchronous = NORMAL')
  connection.pragma(`cache_size = -${CACHE_KIB}`)
  connection
    .transaction(() => {
      if (hasOwnForm(connection)) return
      const { format, owner } = marksOf(connection)
      if (format !== 0 || owner !== 0) throw new IndexDamaged(file, 'it has another form')
      connection.exec(TABLES)
      connection.pragma(`application_id = ${APPLICATION_ID}`)
      connection.pragma(`user_version = ${FORMAT}`)
    })
    .immediate()
}

/** Whether a file says of itself that it is an index as it is made now. */
export function hasOwnForm(connection: Connection): boolean {
  const { format, owner } = marksOf(connection)
  return format === FORMAT && owner === APPLICATION_ID
}

function marksOf(connection: Connection): { format: unknown; owner: unknown } {
  return {
    format: connection.pragma('user_version', { simple: true }),
    owner: connection.pragma('application_id', { simple: true }),
  }
}
