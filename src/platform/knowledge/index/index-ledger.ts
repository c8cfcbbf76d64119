import BetterSqlite from 'better-sqlite3'
import type { FileStamp, SkipReason } from '../walk/index-stamp.ts'

/** What is known of a file since it was last looked into. */
export interface KnownFile {
  readonly path: string
  /** Undefined where it has to be looked into again, whatever it looks like. */
  readonly stamp: FileStamp | undefined
  /** Of the content that is in the index; undefined for a file that was left out. */
  readonly sha256: string | undefined
  readonly skipped: SkipReason | undefined
}

/** Remembers files by their stamps, so that only what may have changed is read. Kept in the index's own file. */
export interface IndexLedger {
  list(): Map<string, KnownFile>
  find(path: string): KnownFile | undefined
  /** A path itself, and all paths in the folder of that name. */
  listAt(path: string): KnownFile[]
  put(files: readonly KnownFile[]): void
  remove(paths: readonly string[]): void
  clear(): void
  readState(key: string): string | undefined
  writeState(key: string, value: string): void
  close(): void
}

const SCHEMA = `
  CREATE TABLE IF NOT EXISTS rag_files (
    path TEXT NOT NULL PRIMARY KEY, size REAL, mtime_ms REAL, ctime_ms REAL, ino REAL, sha256 TEXT, skipped TEXT
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS rag_state (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`
export const LEDGER_TABLES = ['rag_files', 'rag_state'] as const

const WAIT_MS = 10_000
const COLUMNS = 'path, size, mtime_ms, ctime_ms, ino, sha256, skipped'
type Row = [string, number | null, number, number, number, string | null, string | null]

/** Opens the ledger of an index file, making it where there is none. */
export function openLedger(file: string): IndexLedger {
  const db = new BetterSqlite(file, { timeout: WAIT_MS })
  try {
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = NORMAL')
    db.exec(SCHEMA)
    return ledgerOn(db)
  } catch (error) {
    db.close()
    throw error
  }
}

function ledgerOn(db: BetterSqlite.Database): IndexLedger {
  const all = db.prepare<[], Row>(`SELECT ${COLUMNS} FROM rag_files`).raw()
  const one = db.prepare<[string], Row>(`SELECT ${COLUMNS} FROM rag_files WHERE path = ?`).raw()
  const below = db
    .prepare<[string, string], Row>(`SELECT ${COLUMNS} FROM rag_files WHERE path >= ? AND path < ?`)
    .raw()
  const insert = db.prepare(`INSERT OR REPLACE INTO rag_files (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?)`)
  const remove = db.prepare('DELETE FROM rag_files WHERE path = ?')
  const state = db.prepare<[string], [string]>('SELECT value FROM rag_state WHERE key = ?').raw()
  const setState = db.prepare('INSERT OR REPLACE INTO rag_state (key, value) VALUES (?, ?)')
  const find = (path: string) => {
    const row = one.get(path)
    return row && toKnown(row)
  }
  return {
    list: () => new Map(all.all().map((row) => [row[0], toKnown(row)])),
    find,
    listAt: (path) => {
      const itself = find(path)
      return [...(itself ? [itself] : []), ...below.all(`${path}/`, `${path}0`).map(toKnown)]
    },
    put: db.transaction((files: readonly KnownFile[]) => {
      for (const file of files) insert.run(...toRow(file))
    }),
    remove: db.transaction((paths: readonly string[]) => {
      for (const path of paths) remove.run(path)
    }),
    clear: () => void db.exec('DELETE FROM rag_files; DELETE FROM rag_state'),
    readState: (key) => state.get(key)?.[0],
    writeState: (key, value) => void setState.run(key, value),
    close: () => void db.close(),
  }
}

function toKnown([path, size, mtime_ms, ctime_ms, ino, sha256, skipped]: Row): KnownFile {
  return {
    path,
    stamp: size === null ? undefined : { size, mtime_ms, ctime_ms, ino },
    sha256: sha256 ?? undefined,
    skipped: (skipped ?? undefined) as SkipReason | undefined,
  }
}

function toRow({ path, stamp, sha256, skipped }: KnownFile) {
  const { size, mtime_ms, ctime_ms, ino } = stamp ?? { size: null, mtime_ms: 0, ctime_ms: 0, ino: 0 }
  return [path, size, mtime_ms, ctime_ms, ino, sha256 ?? null, skipped ?? null]
}
