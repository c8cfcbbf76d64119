import type { Database, Reader, Statement, Transaction } from './database.ts'
import { StorageDamaged, StorageTooNew, StorageUnavailable, sql } from './database.ts'

/** A forward step of the schema: plain statements that both databases understand. */
export interface Migration {
  readonly version: number
  readonly statements: readonly string[]
  /** What only PostgreSQL gets, after the others: what SQLite keeps in a file of its own. */
  readonly postgres?: readonly string[]
  /**
   * The oldest schema version whose programs may go on beside this one, while hubs are upgraded one by one. Such a step
   * only adds: tables, indexes, and columns that may be empty. Without it older programs are shut out.
   */
  readonly open_to?: number
}

const createVersions = `CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)`
const readVersion = sql<{ version: number | null }>('SELECT MAX(version) AS version FROM schema_version')
/** The tables of the store, on either database. */
export const listTables = {
  sqlite: sql<{ name: string }>(`SELECT name FROM sqlite_master WHERE type = 'table'`),
  postgres: sql<{ name: string }>(
    'SELECT tablename AS name FROM pg_tables WHERE schemaname = current_schema()',
  ),
}
const writeVersion = sql('INSERT INTO schema_version (version, applied_at) VALUES (?, ?)')
// Kept in the database, since a program cannot know of the steps that come after it.
const readOpenTo = sql<{ value: string }>(`SELECT value FROM hub_meta WHERE key = 'schema_open_to'`)
const writeOpenTo = sql(
  `INSERT INTO hub_meta (key, value) VALUES ('schema_open_to', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
)
// Two hubs that start together on one database migrate one after the other.
const lockMigrations = sql<{ locked: string }>(`SELECT '' AS locked FROM pg_advisory_xact_lock(4747)`)

/** The schema's version by a plain read, so that a command line starts without writing; 0 where there is none. */
export async function findVersion(db: Database): Promise<number> {
  try {
    return (await db.get(readVersion))?.version ?? 0
  } catch (error) {
    if (error instanceof StorageDamaged || error instanceof StorageUnavailable) throw error
    return 0
  }
}

/**
 * Brings the schema to the newest version in one transaction. A newer database is used as it is where it is open to
 * this program, else it is refused, untouched. So is one without a table that its version has: a table made anew
 * would hide what was in the one that is gone.
 */
export async function migrate(
  db: Database,
  migrations: readonly Migration[],
  now: Date,
  before: (found: number, newest: number) => Promise<void> = async () => {},
): Promise<void> {
  const newest = migrations.at(-1)?.version ?? 0
  const found = await findVersion(db)
  await checkKnown(db, found, newest)
  if (found >= newest) return checkTables(db, migrations)
  // A database that has just been made holds nothing to keep.
  if (found > 0) await before(found, newest)
  await db.transaction((tx) => migrateIn(db.kind, tx, migrations, now))
}

/** Applies, inside a transaction, the steps that are missing. */
export async function migrateIn(
  kind: Database['kind'],
  tx: Transaction,
  migrations: readonly Migration[],
  now: Date,
): Promise<void> {
  if (kind === 'postgres') await tx.get(lockMigrations)
  await tx.run(inDialect(kind, createVersions))
  const current = (await tx.get(readVersion))?.version ?? 0
  await checkKnown(tx, current, migrations.at(-1)?.version ?? 0)
  for (const step of migrations) {
    if (step.version <= current) continue
    const own = kind === 'postgres' ? (step.postgres ?? []) : []
    for (const statement of [...step.statements, ...own]) await tx.run(inDialect(kind, statement))
    await tx.run(writeVersion, step.version, now.toISOString())
    if (step.open_to !== undefined) await tx.run(writeOpenTo, String(step.open_to))
  }
}

/** Refuses a database that is not open to this program, before anything else is looked at. */
export async function checkVersion(db: Database, migrations: readonly Migration[]): Promise<void> {
  await checkKnown(db, await findVersion(db), migrations.at(-1)?.version ?? 0)
}

async function checkKnown(db: Reader, found: number, newest: number): Promise<void> {
  if (await isOpenTo(db, found, newest)) return
  throw new StorageTooNew(
    `The database has schema version ${found}, but this program knows only up to ${newest}. Use the newer program.`,
  )
}

/** Whether a program that knows the schema up to `newest` may use a database that has come to `found`. */
export async function isOpenTo(db: Reader, found: number, newest: number): Promise<boolean> {
  return found <= newest || newest >= (await findOpenTo(db))
}

/** The oldest schema version whose programs may use the database; no older one where nothing is said. */
async function findOpenTo(db: Reader): Promise<number> {
  try {
    const value = (await db.get(readOpenTo))?.value ?? ''
    return /^\d+$/.test(value) ? Number(value) : Number.POSITIVE_INFINITY
  } catch (error) {
    if (error instanceof StorageDamaged || error instanceof StorageUnavailable) throw error
    return Number.POSITIVE_INFINITY
  }
}

async function checkTables(db: Database, migrations: readonly Migration[]): Promise<void> {
  const there = new Set((await db.all(listTables[db.kind])).map(({ name }) => name))
  const missing = migrations
    .flatMap(({ statements, postgres = [] }) =>
      db.kind === 'postgres' ? [...statements, ...postgres] : statements,
    )
    .map((text) => /^\s*CREATE TABLE (\w+)/.exec(text)?.[1])
    .filter((name) => name !== undefined && !there.has(name))
  if (missing.length === 0) return
  throw new StorageDamaged(
    `The table ${missing[0]} is missing${missing.length > 1 ? `, and ${missing.length - 1} more` : ''}: ` +
      'a program of another state of development made the database, or it was changed by hand.',
  )
}

/** The schema is written once. PostgreSQL needs wide integers, and byte order for text as SQLite has it. */
function inDialect(kind: Database['kind'], text: string): Statement<never> {
  return sql(
    kind === 'sqlite'
      ? text
      : text.replace(/\bINTEGER\b/g, 'BIGINT').replace(/\bTEXT\b/g, 'TEXT COLLATE "C"'),
  )
}
