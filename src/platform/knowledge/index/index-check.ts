import { statSync } from 'node:fs'
import BetterSqlite from 'better-sqlite3'
import { blameFile, IndexDamaged } from '../stores/embedded/damaged-index.ts'
import { type Connection, hasOwnForm } from '../stores/embedded/embedded-schema.ts'
import { LEDGER_TABLES } from './index-ledger.ts'

/** All pages of a larger file would keep whoever asks waiting; a search meets what is wrong in them. */
const LOOKED_THROUGH_MAX_BYTES = 64 * 1_048_576

/** Looks whether an index file can be read and is whole; throws IndexDamaged or IndexUnavailable where it is not. */
export function checkIndexFile(file: string): void {
  blameFile(file, () => {
    const connection = new BetterSqlite(file, { readonly: true, fileMustExist: true })
    try {
      checkForm(file, connection)
      if (statSync(file).size <= LOOKED_THROUGH_MAX_BYTES) checkTables(file, connection)
    } finally {
      connection.close()
    }
  })
}

/** Where a server keeps the index, its file has the ledger alone. */
function checkForm(file: string, connection: Connection): void {
  const tables = listTables(connection)
  if (!hasOwnForm(connection) && !LEDGER_TABLES.every((name) => tables.includes(name)))
    throw new IndexDamaged(file, 'it has another form')
}

function checkTables(file: string, connection: Connection): void {
  for (const table of listTables(connection)) {
    const said = connection.pragma(`quick_check("${table}")`, { simple: true })
    if (said !== 'ok') throw new IndexDamaged(file, String(said))
  }
}

/** Those that hold rows themselves. */
function listTables(connection: Connection): string[] {
  const sql = "SELECT name FROM sqlite_master WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%'"
  return connection.prepare<[], string>(sql).pluck().all()
}
