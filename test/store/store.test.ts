import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgres } from '../../src/platform/storage/postgres/postgres.ts'
import { openSqlite } from '../../src/platform/storage/sqlite/sqlite.ts'
import { freshPostgresUrl } from './postgres-server.ts'
import { runStoreSuite } from './store-suite.ts'

runStoreSuite('SQLite file', {
  shared: true,
  async make() {
    const folder = mkdtempSync(join(tmpdir(), 'knowtation-store-'))
    return {
      open: async () => openSqlite(join(folder, 'store.db')),
      remove: async () => rmSync(folder, { recursive: true, force: true }),
    }
  },
})

runStoreSuite('SQLite memory', {
  shared: false,
  make: async () => ({ open: async () => openSqlite(':memory:'), remove: async () => {} }),
})

runStoreSuite('PostgreSQL', {
  shared: true,
  async make() {
    const url = await freshPostgresUrl()
    return { open: () => openPostgres(url), remove: async () => {} }
  },
})
