import { join } from 'node:path'
import { type AuditLog, openAuditLog } from '../platform/audit/audit-log.ts'
import type { AuditRecord } from '../platform/audit/audit-record.ts'
import { coalesceRefusals, type RefusalLog } from '../platform/audit/coalesce.ts'
import type { Home } from '../platform/basics/home.ts'
import { onceATurn } from '../platform/basics/once-a-turn.ts'
import { PACKAGE_FOLDER } from '../platform/basics/package-folder.ts'
import type { Log } from '../platform/basics/plain-log.ts'
import { ensurePrivateFolder } from '../platform/basics/private-file.ts'
import type { System } from '../platform/basics/system.ts'
import { type RateLimits, rateLimits } from '../platform/identity/rate-limits.ts'
import { type Locks, openLocks } from '../platform/locks/open-locks.ts'
import { type HubConfig, readHubConfig } from '../platform/policy/hub-config.ts'
import { followPolicies, type VaultRules } from '../platform/policy/policies.ts'
import { lazyRedactors, type RedactValue } from '../platform/redaction/lazy-redactors.ts'
import type { Database } from '../platform/storage/database.ts'
import { checkWhole } from '../platform/storage/half-restored.ts'
import { checkNotLost } from '../platform/storage/lost-database.ts'
import { openDatabase } from '../platform/storage/open-database.ts'
import { lazyUpstreams } from '../platform/upstream/lazy-upstreams.ts'
import type { Upstreams } from '../platform/upstream/upstream.ts'
import type { Operation } from './define-operation.ts'
import { findAuditKey, makeAuditKey } from './home-audit-key.ts'

/** Everything a call stands on. One process opens one hub; several processes may open the same home. */
export interface Hub {
  readonly home: Home
  readonly env: NodeJS.ProcessEnv
  readonly config: HubConfig
  readonly system: System
  readonly log: Log
  readonly db: Database
  readonly audit: AuditLog
  readonly refusals: RefusalLog
  readonly limits: RateLimits
  /** What the owner has stopped. */
  readonly locks: Locks
  /** The tools that vault policies bind to. */
  readonly upstreams: Pick<Upstreams, 'call'>
  /** Takes secrets out of what comes from outside the hub. */
  readonly redactValue: RedactValue
  /** The folder of the starter flows. */
  readonly starters: string
  rulesOf(vault_id: string): VaultRules
  /** Another operation, for one that is served by it. */
  findOperation(name: string): Promise<Operation | undefined>
  /** Does something once in this process; a failure is not remembered. */
  once(key: string, act: () => Promise<void>): Promise<void>
  /** Tells metrics and logs of a finished call. */
  observe(record: AuditRecord): void
  observers: ((record: AuditRecord) => void)[]
  /** What was opened for this hub along the way, and is let go before the store closes. */
  readonly closing: (() => Promise<void>)[]
  close(): Promise<void>
}

export interface HubOptions {
  home: Home
  env: NodeJS.ProcessEnv
  system: System
  log: Log
  /** Where the starter flows lie; the ones shipped with the program unless a test brings its own. */
  starters?: string
  /** Where operations are found that others are served by; without it there are none. */
  findOperation?: Hub['findOperation']
  /** Looks through the database for damage before using it. */
  checkIntegrity?: boolean
  /** Calls of one turn of the event loop share a look at the policy files, as a server's may. */
  shareLooks?: boolean
}

/** Opens a home, making what is missing; whatever is damaged stops it here, by name. */
export async function openHub(options: HubOptions): Promise<Hub> {
  const { home, env, system, log } = options
  ensurePrivateFolder(home.folder)
  checkWhole(home)
  const config = readHubConfig(home)
  const key = findAuditKey(home, env)
  if (key) checkNotLost(home, env)
  const { checkIntegrity = false, shareLooks = false } = options
  const db = await openDatabase(home, env, system.now(), { checkIntegrity })
  try {
    const audit = await openAuditLog(db, key ?? (await makeAuditKey(db, home, system)))
    const refusals = coalesceRefusals((record) => audit.append(record))
    const observers: Hub['observers'] = []
    const closing: Hub['closing'] = []
    const upstreams = lazyUpstreams({ env, log, now: system.now })
    return {
      observers,
      closing,
      observe: (record) => observers.forEach((tell) => tell(record)),
      home,
      env,
      config,
      system,
      log,
      db,
      audit,
      refusals,
      upstreams,
      redactValue: lazyRedactors(env),
      locks: openLocks(db),
      limits: rateLimits(config.rate_limits, system.now),
      starters: options.starters ?? join(PACKAGE_FOLDER, 'flows', 'starter'),
      rulesOf: shareLooks ? onceATurn(followPolicies(home)) : followPolicies(home),
      findOperation: options.findOperation ?? (async () => undefined),
      once: onceEach(),
      async close() {
        await Promise.allSettled(closing.map((end) => end()))
        await upstreams.close()
        await refusals.flushAll().catch((error: Error) => log.error({ fault: error.name }, 'refusals lost'))
        await db.close()
      },
    }
  } catch (error) {
    await db.close()
    throw error
  }
}

function onceEach(): Hub['once'] {
  const done = new Map<string, Promise<void>>()
  return (key, act) => {
    let started = done.get(key)
    if (!started) {
      started = act()
      done.set(key, started)
      started.catch(() => done.delete(key))
    }
    return started
  }
}
