import type { Home } from '../basics/home.ts'
import { type Database, StorageDamaged, StorageUnavailable } from './database.ts'
import { migrate } from './migrate.ts'
import { migrations } from './schema.ts'

/** Opens the store that the environment chooses and brings its schema up to date. */
export async function openDatabase(home: Home, env: NodeJS.ProcessEnv, now: Date): Promise<Database> {
  const url = env.KNOWTATION_DATABASE_URL
  if (url && !/^postgres(ql)?:\/\//.test(url)) {
    throw new Error('KNOWTATION_DATABASE_URL must begin with postgres:// (unset it for SQLite in the home).')
  }
  const place = url ? 'The database named by KNOWTATION_DATABASE_URL' : home.database
  try {
    const db = url
      ? await (await import('./postgres.ts')).openPostgres(url)
      : (await import('./sqlite.ts')).openSqlite(home.database)
    await migrate(db, migrations, now).catch(async (error) => {
      await db.close()
      throw error
    })
    return db
  } catch (error) {
    if (error instanceof StorageDamaged)
      throw new StorageDamaged(
        `${place}: ${error.message} It was left untouched; restore a backup with \`knowtation backup restore\`.`,
        { cause: error },
      )
    if (error instanceof StorageUnavailable)
      throw new StorageUnavailable(`${place} cannot be opened.`, { cause: error })
    throw error
  }
}
