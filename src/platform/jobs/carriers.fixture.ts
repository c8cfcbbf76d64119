import { onTestFinished } from 'vitest'
import { makeTestHome } from '../../../test/harness/test-hub.ts'
import { openDatabase } from '../storage/open-database.ts'
import type { Carrier } from './job-queue.ts'
import { openCarrier } from './open-carrier.ts'

/** A store that any number of carriers can be opened on, each with connections of its own as a process has them. */
export async function carrierPlace(database: 'sqlite' | 'postgres'): Promise<() => Promise<Carrier>> {
  const made = await makeTestHome({ database })
  onTestFinished(() => made[Symbol.asyncDispose]())
  const { home, env, system } = made.options
  return async () => {
    const db = await openDatabase(home, env, system.now())
    const carrier = await openCarrier({ db, env, system }, 'test_jobs', (error) => {
      throw error
    })
    onTestFinished(async () => {
      await carrier.close()
      await db.close()
    })
    return carrier
  }
}
