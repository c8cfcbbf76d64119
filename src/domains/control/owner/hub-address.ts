import { type Reader, sql } from '../../../platform/storage/database.ts'

const readPort = sql<{ value: string }>(`SELECT value FROM hub_meta WHERE key = 'listening_port'`)
const DEFAULT_PORT = '4747'

/** Where the owner's pages are. Passkeys are bound to a name, and browsers take no address for one: localhost. */
export async function hubAddress(db: Reader): Promise<string> {
  const port = (await db.get(readPort))?.value ?? DEFAULT_PORT
  return `http://localhost:${port}`
}
