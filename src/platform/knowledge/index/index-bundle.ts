import { createHash } from 'node:crypto'
import { constants, copyFileSync, linkSync, lstatSync, renameSync, rmSync } from 'node:fs'
import BetterSqlite from 'better-sqlite3'
import { isKeptInFile } from '../stores/backend-settings.ts'
import { connectIndex } from '../stores/embedded/embedded-schema.ts'
import { hasSoundRows } from '../stores/embedded/sound-rows.ts'
import type { IndexJob } from './index-job.ts'
import { LEDGER_TABLES, openLedger } from './index-ledger.ts'
import { FINGERPRINT, fingerprintOf, MANIFEST_REVISION } from './index-open.ts'
import { type IndexPlace, makePrivate, removeIndexFiles } from './index-place.ts'
import { parseManifest, readManifest, renderManifest, writeManifest } from './manifest.ts'

type Connection = BetterSqlite.Database

const BUNDLE_FORM = '1'
const BUNDLE_MAX_BYTES = 8 * 1024 ** 3
const ABOUT = 'rag_about'
/** What a bundle has beside the tables of its index. */
const BUNDLE_TABLES = `
CREATE TABLE rag_manifest (path TEXT NOT NULL PRIMARY KEY, sha256 TEXT NOT NULL) WITHOUT ROWID;
CREATE TABLE ${ABOUT} (key TEXT NOT NULL PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
`

/** An index that is not taken in, or cannot be given out; says why. */
export class BundleRefused extends Error {
  override readonly name = 'BundleRefused'
}

/** Writes a finished index with its manifest to one new file; answers how many files are in it. */
export function exportIndex(job: IndexJob, place: IndexPlace, out: string): { files: number; bytes: number } {
  checkKeptInFile(job)
  const state = readManifest(place.manifest)
  const manifest = state.kind === 'present' ? parseManifest(state.text) : undefined
  if (manifest === undefined) throw new BundleRefused('The project has no finished index yet.')
  const draft = `${out}.${process.pid}.draft`
  try {
    copyDatabase(place.index, draft)
    const db = new BetterSqlite(draft)
    try {
      describeBundle(db, job)
    } finally {
      db.close()
    }
    makePrivate(draft)
    // A link is made only where nothing is: an export never replaces a file.
    linkSync(draft, out)
    return { files: manifest.size, bytes: lstatSync(out).size }
  } finally {
    rmSync(draft, { force: true })
  }
}

/** Puts an exported index in the place of a project's own, after all of it was checked. */
export function importIndex(job: IndexJob, place: IndexPlace, from: string): { files: number } {
  checkKeptInFile(job)
  const draft = `${place.index}.import`
  rmSync(draft, { force: true })
  try {
    copyPlainFile(from, draft)
    const documents = takeOutOfBundle(draft, job)
    const text = renderManifest(documents)
    removeIndexFiles(place)
    renameSync(draft, place.index)
    const revision = writeManifest(place.manifest, text)
    const ledger = openLedger(place.index)
    ledger.writeState(FINGERPRINT, fingerprintOf(job))
    ledger.writeState(MANIFEST_REVISION, revision)
    ledger.close()
    makePrivate(place.index)
    return { files: documents.size }
  } finally {
    for (const path of [draft, `${draft}-wal`, `${draft}-shm`, `${draft}-journal`])
      rmSync(path, { force: true })
  }
}

function checkKeptInFile(job: IndexJob): void {
  if (!isKeptInFile(job))
    throw new BundleRefused('Only an index in the built-in store can be exported or imported.')
}

function copyDatabase(from: string, to: string): void {
  const db = new BetterSqlite(from, { readonly: true, fileMustExist: true })
  try {
    db.prepare('VACUUM INTO ?').run(to)
  } finally {
    db.close()
  }
}

/** Stamps of files mean nothing elsewhere; what stands beside the index tells whether it is whole. */
function describeBundle(db: Connection, job: IndexJob): void {
  db.pragma('journal_mode = DELETE')
  for (const table of LEDGER_TABLES) db.exec(`DROP TABLE IF EXISTS ${table}`)
  db.exec(BUNDLE_TABLES)
  db.exec('INSERT INTO rag_manifest SELECT path, sha256 FROM documents')
  const put = db.prepare(`INSERT INTO ${ABOUT} (key, value) VALUES (?, ?)`)
  put.run('form', BUNDLE_FORM)
  put.run(FINGERPRINT, fingerprintOf(job))
  put.run('content', digestOf(db))
}

function copyPlainFile(from: string, to: string): void {
  const stat = lstatSync(from, { throwIfNoEntry: false })
  if (!stat?.isFile()) throw new BundleRefused('There is no such file.')
  if (stat.size > BUNDLE_MAX_BYTES) throw new BundleRefused('The file is too large.')
  copyFileSync(from, to, constants.COPYFILE_EXCL)
}

/** Checks a bundle and leaves the bare index behind; answers what is in it. */
function takeOutOfBundle(file: string, job: IndexJob): Map<string, string> {
  const db = openForeign(file)
  try {
    checkBundle(db, job, lstatSync(file).size)
    const documents = new Map(
      db.prepare<[], [string, string]>('SELECT path, sha256 FROM documents').raw().all(),
    )
    const listed = db.prepare<[], [string, string]>('SELECT path, sha256 FROM rag_manifest').raw().all()
    const isEqual =
      listed.length === documents.size && listed.every(([path, sha256]) => documents.get(path) === sha256)
    if (!isEqual) throw new BundleRefused('The manifest in the file is not that of its index.')
    db.exec(`DROP TABLE rag_manifest; DROP TABLE ${ABOUT}`)
    return documents
  } catch (error) {
    if (error instanceof BetterSqlite.SqliteError) throw damaged(error)
    throw error
  } finally {
    db.close()
  }
}

function openForeign(file: string): Connection {
  try {
    const db = new BetterSqlite(file, { fileMustExist: true })
    // What a foreign schema would run by itself is not run.
    db.pragma('trusted_schema = OFF')
    return db
  } catch (error) {
    throw damaged(error)
  }
}

function checkBundle(db: Connection, job: IndexJob, bytes: number): void {
  const pages =
    Number(db.pragma('page_count', { simple: true })) * Number(db.pragma('page_size', { simple: true }))
  if (pages !== bytes || db.pragma('quick_check(1)', { simple: true }) !== 'ok') throw damaged()
  const isBundle = db.prepare(`SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '${ABOUT}'`).get()
  if (!isBundle) throw new BundleRefused('The file is no exported index.')
  const about = new Map(db.prepare<[], [string, string]>(`SELECT key, value FROM ${ABOUT}`).raw().all())
  if (about.get('form') !== BUNDLE_FORM || !hasOwnSchema(db))
    throw new BundleRefused('The file is an index of another form.')
  if (about.get('content') !== digestOf(db) || !hasSoundRows(db)) throw damaged()
  if (about.get(FINGERPRINT) !== fingerprintOf(job))
    throw new BundleRefused('The index was made with another embedder or other redaction patterns.')
}

/**
 * Exactly the tables of a bundle made here, whatever they are called: no trigger, no view, nothing that a later
 * statement could set off, and no ledger that would vouch for files of this machine.
 */
function hasOwnSchema(db: Connection): boolean {
  const fresh = connectIndex(':memory:')
  try {
    fresh.exec(BUNDLE_TABLES)
    return JSON.stringify(schemaOf(db)) === JSON.stringify(schemaOf(fresh))
  } finally {
    fresh.close()
  }
}

function schemaOf(db: Connection): string[] {
  return db
    .prepare<[], string>('SELECT sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name')
    .pluck()
    .all()
}

/** One digest over all rows of all tables. */
function digestOf(db: Connection): string {
  const digest = createHash('sha256')
  const tables = db
    .prepare<[], [string]>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
    )
    .raw()
    .all()
  for (const [table] of tables) {
    if (table === ABOUT) continue
    digest.update(`\0${table}\0`)
    for (const row of db.prepare<[], unknown[]>(`SELECT * FROM "${table}" ORDER BY 1, 2`).raw().iterate())
      for (const value of row) digest.update(Buffer.isBuffer(value) ? value : `\0${String(value)}`)
  }
  return digest.digest('hex')
}

function damaged(cause?: unknown): BundleRefused {
  return new BundleRefused('The file is damaged.', { cause })
}
