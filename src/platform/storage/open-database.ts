import type { Home } from '../basics/home.ts'
import { type Database, StorageDamaged, StorageTooNew, StorageUnavailable } from './database.ts'
import { checkVersion, migrate } from './migrate.ts'
import { migrations } from './schema.ts'
import type { SqliteOptions } from './sqlite/sqlite.ts'

/** The address of the PostgreSQL that the environment chooses, or undefined for SQLite in the home. */
export function findPostgresUrl(env: NodeJS.ProcessEnv): string | undefined {
  const url = env.KNOWTATION_DATABASE_URL
  if (!url) return undefined
  if (/^postgres(ql)?:\/\//.test(url)) return url
  throw new Error('KNOWTATION_DATABASE_URL must begin with postgres:// (unset it for SQLite in the home).')
}

export interface OpenOptions extends SqliteOptions {
  /** Looks at the store before anything of it is changed; where it throws, all is left as it was found. */
  check?: (db: Database) => Promise<void>
  /** Comes before the schema of what is there is brought forward; where it throws, it is not. */
  beforeMigration?: (found: number, newest: number) => Promise<void>
}

/** A fault that says already where it is and what to do. */
export class StorageBehind extends StorageDamaged {}

/** Opens the store that the environment chooses and brings its schema up to date. */
export async function openDatabase(
  home: Home,
  env: NodeJS.ProcessEnv,
  now: Date,
  options: OpenOptions = {},
): Promise<Database> {
  const url = findPostgresUrl(env)
  const place = url ? 'The database named by KNOWTATION_DATABASE_URL' : home.database
  try {
    const db = url
      ? await (await import('./postgres/postgres.ts')).openPostgres(url)
      : (await import('./sqlite/sqlite.ts')).openSqlite(home.database, options)
    await closeUnless(db, { untouched: true }, async () => {
      await checkVersion(db, migrations)
      await options.check?.(db)
    })
    await closeUnless(db, {}, () => migrate(db, migrations, now, options.beforeMigration))
    return db
  } catch (error) {
    throw url ? atServer(place, error) : atPlace(place, error)
  }
}

async function closeUnless(
  db: Database,
  how: { untouched?: boolean },
  act: () => Promise<void>,
): Promise<void> {
  await act().catch(async (error: unknown) => {
    await db.close(how)
    throw error
  })
}

/** Why a server does not let us in, in its words: they name user and database, never a password. */
function atServer(place: string, error: unknown): unknown {
  if (error instanceof StorageTooNew || error instanceof StorageDamaged) return atPlace(place, error)
  const cause = error instanceof StorageUnavailable ? error.cause : error
  const first: unknown = cause instanceof AggregateError ? cause.errors[0] : cause
  if (!(first instanceof Error)) return atPlace(place, error)
  return new StorageUnavailable(`${place} cannot be opened: ${first.message.replace(/\.$/, '')}.`, { cause })
}

function atPlace(place: string, cause: unknown): unknown {
  if (cause instanceof StorageTooNew)
    return new StorageTooNew(`${place}: ${cause.message} It was left untouched.`, { cause })
  if (cause instanceof StorageBehind) return cause
  if (cause instanceof StorageDamaged) {
    const advice = 'It was left untouched; restore a backup with `knowtation backup restore`.'
    return new StorageDamaged(`${place}: ${cause.message} ${advice}`, { cause })
  }
  if (cause instanceof StorageUnavailable)
    return new StorageUnavailable(`${place} cannot be opened${whyNot(cause)}.`, { cause })
  return cause
}

const REASONS: readonly [RegExp, string][] = [
  [/^SQLITE_FULL/, 'its disk is full'],
  [/^SQLITE_READONLY/, 'it may not be written'],
  [/^SQLITE_(BUSY|LOCKED|PROTOCOL)/, 'another program holds it'],
  [/^SQLITE_IOERR/, 'its disk is full or fails'],
]

/** What a person can mend, in a few words; an empty text where SQLite says no more than that it cannot. */
function whyNot({ cause }: StorageUnavailable): string {
  const { code = '' } = (cause ?? {}) as { code?: string }
  const reason = REASONS.find(([form]) => form.test(code))?.[1]
  return reason === undefined ? '' : `: ${reason}`
}
