import type { Database, Reader, Statement } from '../storage/database.ts'

/**
 * Ends for good what was refused because its time was over, so that a clock which is set back does not bring it to life
 * again. Inside a transaction, whose refusal takes back what it wrote, it is left to the next refusal outside of one.
 */
export async function stayExpired(
  db: Reader | Database,
  end: Statement<never>,
  ended_at: string,
  id: string,
): Promise<void> {
  if (!('transaction' in db)) return
  // It is refused also where the store takes no writes; then the next refusal writes it.
  await db.transaction((tx) => tx.run(end, ended_at, id)).catch(() => {})
}
