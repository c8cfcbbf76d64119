import { openHub } from '../src/operations/hub.ts'
import type { Home } from '../src/platform/basics/home.ts'
import { realSystem } from '../src/platform/basics/system.ts'
import type { Database } from '../src/platform/storage/database.ts'

const log = { debug() {}, info() {}, warn() {}, error() {} }

/** Writes to a home past its operations. A hub begins it: one that has rows and no audit chain is taken for robbed. */
export async function changeHome(home: Home, change: (db: Database) => Promise<unknown>): Promise<void> {
  const hub = await openHub({ home, env: {}, system: realSystem, log })
  try {
    await change(hub.db)
  } finally {
    await hub.close()
  }
}
