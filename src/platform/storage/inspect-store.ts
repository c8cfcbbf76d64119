import { existsSync } from 'node:fs'
import type { Home } from '../basics/home.ts'
import type { Database } from './database.ts'
import { findVersion, isOpenTo } from './migrate.ts'
import { findPostgresUrl } from './open-database.ts'
import { migrations } from './schema.ts'

/** What a store has, as it lies there. */
export interface StoreFound {
  readonly kind: Database['kind']
  /** The last step of its schema; 0 where there is none yet. */
  readonly step: number
  /** Whether this program may use it. */
  readonly is_usable: boolean
}

/** Looks at the store that the environment chooses and changes nothing of it. */
export async function inspectStore(home: Home, env: NodeJS.ProcessEnv): Promise<StoreFound> {
  const newest = migrations.at(-1)?.version ?? 0
  const url = findPostgresUrl(env)
  if (url === undefined && !existsSync(home.database)) return { kind: 'sqlite', step: 0, is_usable: true }
  const db = url
    ? await (await import('./postgres/postgres.ts')).openPostgres(url)
    : (await import('./sqlite/sqlite.ts')).openSqlite(home.database)
  try {
    const step = await findVersion(db)
    return { kind: db.kind, step, is_usable: await isOpenTo(db, step, newest) }
  } finally {
    await db.close({ untouched: true })
  }
}
