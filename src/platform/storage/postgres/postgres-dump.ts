import { closeSync, fsyncSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { StringDecoder } from 'node:string_decoder'
import { writeWhole } from '../../basics/write-whole.ts'
import { ensureFolder } from '../backup/durable-files.ts'
import { type Database, sql, type Transaction } from '../database.ts'
import { migrateIn } from '../migrate.ts'
import { migrations } from '../schema.ts'

const FETCH_ROWS = 200
const LOAD_ROWS = 500
const CHUNK_BYTES = 1_048_576
const TABLE_LIMIT = 1_000

const oneMoment = sql('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY')
const listTables = sql<{ name: string }>(
  `SELECT table_name AS name FROM information_schema.tables
   WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' ORDER BY table_name LIMIT ?`,
)
const readVersion = sql<{ version: number | null }>('SELECT MAX(version) AS version FROM schema_version')
const fetchRows = sql<{ line: string }>(`FETCH ${FETCH_ROWS} FROM backup_rows`)
const closeRows = sql('CLOSE backup_rows')

/** A table's name as it may stand in a statement: ours are plain words. */
const TABLE_NAME = /^[a-z0-9_]{1,63}$/

/**
 * Writes every table as it stands at one moment to `tables/<name>.jsonl`, a row a line in PostgreSQL's own
 * JSON, so that no value passes through a number of ours. Answers the schema's version and the files.
 */
export function dumpPostgres(
  db: Database,
  folder: string,
): Promise<{ schema_version: number; files: string[] }> {
  return db.transaction(async (tx) => {
    await tx.run(oneMoment)
    const schema_version = (await tx.get(readVersion))?.version ?? 0
    const files: string[] = []
    for (const { name } of await tx.all(listTables, TABLE_LIMIT)) {
      // The manifest carries the version, and a restore builds that schema itself.
      if (name === 'schema_version') continue
      checkTableName(name)
      files.push(`tables/${name}.jsonl`)
      await dumpTable(tx, name, join(folder, `tables/${name}.jsonl`))
    }
    return { schema_version, files }
  })
}

function checkTableName(name: string): void {
  if (!TABLE_NAME.test(name)) throw new Error('The schema holds a table that is not of this program.')
}

async function dumpTable(tx: Transaction, name: string, path: string): Promise<void> {
  ensureFolder(join(path, '..'))
  const file = openSync(path, 'wx', 0o600)
  try {
    await tx.run(
      sql(`DECLARE backup_rows NO SCROLL CURSOR FOR SELECT row_to_json(t)::text AS line FROM "${name}" t`),
    )
    for (let rows = await tx.all(fetchRows); rows.length > 0; rows = await tx.all(fetchRows))
      writeWhole(file, rows.map(({ line }) => `${line}\n`).join(''))
    await tx.run(closeRows)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** Builds the backup's schema in an empty one and fills it, all in one transaction. */
export function loadPostgres(
  db: Database,
  folder: string,
  backup: { schema_version: number; tables: string[] },
  now: Date,
): Promise<void> {
  const steps = migrations.filter((step) => step.version <= backup.schema_version)
  return db.transaction(async (tx) => {
    if ((await tx.all(listTables, 1)).length > 0)
      throw new Error('The PostgreSQL schema is not empty. Restore into a new database.')
    await migrateIn('postgres', tx, steps, now)
    for (const name of backup.tables) {
      checkTableName(name)
      await loadTable(tx, name, join(folder, `tables/${name}.jsonl`))
    }
  })
}

async function loadTable(tx: Transaction, name: string, path: string): Promise<void> {
  // A step of the schema may have written something itself.
  await tx.run(sql(`DELETE FROM "${name}"`))
  const insert = sql(`INSERT INTO "${name}" SELECT * FROM json_populate_recordset(NULL::"${name}", ?::json)`)
  for (const lines of batches(linesOf(path), LOAD_ROWS)) await tx.run(insert, `[${lines.join(',')}]`)
}

function* batches(lines: Iterable<string>, size: number): Generator<string[]> {
  let batch: string[] = []
  for (const line of lines) {
    if (batch.push(line) < size) continue
    yield batch
    batch = []
  }
  if (batch.length > 0) yield batch
}

/** The lines of a file, read piece by piece. */
function* linesOf(path: string): Generator<string> {
  const chunk = Buffer.alloc(CHUNK_BYTES)
  const decoder = new StringDecoder('utf8')
  const file = openSync(path, 'r')
  try {
    let rest = ''
    for (let read = readSync(file, chunk); read > 0; read = readSync(file, chunk)) {
      const lines = (rest + decoder.write(chunk.subarray(0, read))).split('\n')
      rest = lines.pop() ?? ''
      yield* lines
    }
    if (rest !== '') yield rest
  } finally {
    closeSync(file)
  }
}
