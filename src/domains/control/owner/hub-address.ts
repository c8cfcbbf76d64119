import type { Hub } from '../../../operations/hub.ts'
import { ensureOwnerName } from '../../../platform/identity/owner-name.ts'
import { type Reader, sql, type Transaction } from '../../../platform/storage/database.ts'

const readPort = sql<{ value: string }>(`SELECT value FROM hub_meta WHERE key = 'listening_port'`)
const DEFAULT_PORT = '4747'

/** Where the hub can be reached by whoever is on this machine. It is bound at both addresses of `localhost`. */
export async function hubAddress(db: Reader): Promise<string> {
  return `http://localhost:${await portOf(db)}`
}

/**
 * The same hub as `origin` names it, at the name that providers and programs know: one that ends with `.localhost` few
 * of them take. The public name is known to all.
 */
export function localhostOf(origin: string): string {
  const { protocol, port } = new URL(origin)
  if (protocol === 'https:') return origin
  return port === '' ? 'http://localhost' : `http://localhost:${port}`
}

/** Where the owner's pages are. Nobody but the owner is told: see `ensureOwnerName`. */
export async function ownerAddress(tx: Transaction, { config, system }: Pick<Hub, 'config' | 'system'>) {
  return config.public_url ?? `http://${await ensureOwnerName(tx, system)}:${await portOf(tx)}`
}

async function portOf(db: Reader): Promise<string> {
  return (await db.get(readPort))?.value ?? DEFAULT_PORT
}
