import type { System } from '../basics/system.ts'
import type { Database } from '../storage/database.ts'
import { findPostgresUrl } from '../storage/open-database.ts'
import type { Carrier } from './job-queue.ts'

export interface CarrierPlace {
  readonly db: Database
  readonly env: NodeJS.ProcessEnv
  readonly system: System
}

/** The carrier that goes with the hub's database. */
export async function openCarrier(
  { db, env, system }: CarrierPlace,
  queue: string,
  onFault: (error: unknown) => void,
): Promise<Carrier> {
  const url = findPostgresUrl(env)
  if (url) return (await import('./boss-carrier.ts')).openBossCarrier(url, queue, onFault)
  return (await import('./table-carrier.ts')).openTableCarrier(db, system, queue)
}
