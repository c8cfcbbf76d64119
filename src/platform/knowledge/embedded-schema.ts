import BetterSqlite from 'better-sqlite3'
import { blameFile, IndexDamaged } from './damaged-index.ts'

export type Connection = BetterSqlite.Database

/** An index of another form is made anew. */
const FORMAT = 3
const APPLICATION_ID = 0x6b6e6f77
const WAIT_MS = 10_000
/** A large index is read all over by one question. */
const CACHE_KIB = 16_384
/** Only of a new file; in larger pages less room is lost. */
const PAGE_BYTES = 16_384
/** Words that are gathered before they are written: the more, the fewer pieces have to be put together later. */
const WORDS_BYTES = 16 * 1_048_576
/** Segments of words, made at once, that are kept beside each other: to put them together costs more than to read them. */
const WORDS_SEGMENTS = 16

/**
 * The chunks of a document have numbers one after the other, which are never used again. All of them are one row, as
 * `chunks-row.ts` puts them together. Their vectors are another one, for these are read all at once: all of them in one
 * piece, and for each chunk four bytes about it, its kind and how many terms its text has.
 */
const TABLES = `
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE documents (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  path TEXT NOT NULL UNIQUE,
  sha256 TEXT NOT NULL,
  first_chunk INTEGER NOT NULL,
  chunk_count INTEGER NOT NULL
);
CREATE TABLE chunks (
  document_id INTEGER PRIMARY KEY,
  places BLOB NOT NULL,
  names BLOB NOT NULL,
  counts BLOB NOT NULL,
  texts BLOB NOT NULL
);
CREATE TABLE vectors (
  first_chunk INTEGER PRIMARY KEY,
  document_id INTEGER NOT NULL,
  about BLOB NOT NULL,
  vectors BLOB NOT NULL
);
CREATE VIRTUAL TABLE words USING fts5(
  body, name, owner, path, content='', contentless_delete=1, tokenize='ascii'
);
CREATE VIRTUAL TABLE stems USING fts5vocab(words, 'row');
INSERT INTO words (words, rank) VALUES ('hashsize', ${WORDS_BYTES});
INSERT INTO words (words, rank) VALUES ('usermerge', ${WORDS_SEGMENTS});
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
