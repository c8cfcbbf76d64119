import type { Database, Transaction } from './database.ts'
import { StorageDamaged, sql } from './database.ts'

/** A forward step of the schema: plain statements that both databases understand. */
export interface Migration {
  readonly version: number
  readonly statements: readonly string[]
}

const createVersions = `CREATE TABLE IF NOT EXISTS schema_version (version INTEGER PRIMARY KEY, applied_at TEXT NOT NULL)`
const readVersion = sql<{ version: number | null }>('SELECT MAX(version) AS version FROM schema_version')
const writeVersion = sql('INSERT INTO schema_version (version, applied_at) VALUES (?, ?)')
// Two hubs that start together on one database migrate one after the other.
const lockMigrations = sql<{ locked: string }>(`SELECT '' AS locked FROM pg_advisory_xact_lock(4747)`)

/** Whether the schema is already the newest: a plain read, so that a command line starts without writing. */
async function isCurrent(db: Database, newest: number): Promise<boolean> {
  try {
    return (await db.get(readVersion))?.version === newest
  } catch (error) {
    if (error instanceof StorageDamaged) throw error
    return false
  }
}

/** Brings the schema to the newest version in one transaction; a newer database is refused, untouched. */
export async function migrate(db: Database, migrations: readonly Migration[], now: Date): Promise<void> {
  const newest = migrations.at(-1)?.version ?? 0
  if (await isCurrent(db, newest)) return
  await db.transaction(async (tx) => {
    if (db.kind === 'postgres') await tx.get(lockMigrations)
    await tx.run(inDialect(db, createVersions))
    const current = (await tx.get(readVersion))?.version ?? 0
    if (current > newest) {
      throw new StorageDamaged(
        `The database has schema version ${current}, but this program knows only up to ${newest}. Use the newer program.`,
      )
    }
    for (const step of migrations) if (step.version > current) await apply(db, tx, step, now)
  })
}

async function apply(db: Database, tx: Transaction, step: Migration, now: Date): Promise<void> {
  for (const statement of step.statements) await tx.run(inDialect(db, statement))
  await tx.run(writeVersion, step.version, now.toISOString())
}

/** The schema is written once. PostgreSQL needs wide integers, and byte order for text as SQLite has it. */
function inDialect(db: Database, text: string) {
  return sql(
    db.kind === 'sqlite'
      ? text
      : text.replace(/\bINTEGER\b/g, 'BIGINT').replace(/\bTEXT\b/g, 'TEXT COLLATE "C"'),
  )
}
