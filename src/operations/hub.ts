import { join } from 'node:path'
import { type AuditLog, openAuditLog } from '../platform/audit/audit-log.ts'
import type { AuditRecord } from '../platform/audit/audit-record.ts'
import { coalesceRefusals, type RefusalLog } from '../platform/audit/coalesce.ts'
import type { Home } from '../platform/basics/home.ts'
import { PACKAGE_FOLDER } from '../platform/basics/package-folder.ts'
import type { PartOwner } from '../platform/basics/part-of.ts'
import type { Log } from '../platform/basics/plain-log.ts'
import { ensurePrivateFolder } from '../platform/basics/private-file.ts'
import { openSemaphore, type Semaphore } from '../platform/basics/semaphore.ts'
import type { System } from '../platform/basics/system.ts'
import { ensureOwnerName } from '../platform/identity/owner-name.ts'
import { type RateLimits, rateLimits } from '../platform/identity/rate-limits.ts'
import { type Locks, openLocks } from '../platform/locks/open-locks.ts'
import { type HubConfig, readHubConfig } from '../platform/policy/hub-config.ts'
import { followPolicies, type VaultRules } from '../platform/policy/policies.ts'
import { lazyRedactors, type RedactValue } from '../platform/redaction/lazy-redactors.ts'
import { checkWhole } from '../platform/storage/backup/half-restored.ts'
import type { Database } from '../platform/storage/database.ts'
import { onDatabaseTime } from '../platform/storage/database-clock.ts'
import { checkNotLost } from '../platform/storage/lost-database.ts'
import { openDatabase } from '../platform/storage/open-database.ts'
import { NO_TRACING, type Tracing } from '../platform/tracing/tracing.ts'
import type { ConnectionTokens } from '../platform/upstream/connection-tokens.ts'
import { type LazyUpstreams, lazyUpstreams } from '../platform/upstream/lazy-upstreams.ts'
import type { Operation } from './define-operation.ts'
import { Refusal } from './errors.ts'
import { backupFirst } from './opening/backup-first.ts'
import { findAuditKey, makeAuditKey } from './opening/home-audit-key.ts'
import { type HomeWitness, homeWitness } from './opening/home-witness.ts'
import { findRestored, recordLoss, recordRestored } from './opening/record-beginnings.ts'
import { type Acts, watchActs } from './watch-acts.ts'

const LONG_LOOKS_WAITING = 20

/** Everything a call stands on. One process opens one hub; several processes may open the same home. */
export interface Hub extends PartOwner {
  readonly home: Home
  readonly env: NodeJS.ProcessEnv
  readonly config: HubConfig
  /** Time and chance; on PostgreSQL the time is the database's, so that all hubs on it have the same. */
  readonly system: System
  /** What this machine's own clock shows. */
  readonly machineNow: () => Date
  readonly log: Log
  readonly db: Database
  readonly audit: AuditLog
  /** Where an operator is told what the hub does; nowhere, unless the environment says so. */
  readonly tracing: Tracing
  /** What lies beside the database and knows how far it has come. */
  readonly witness: Pick<HomeWitness, 'checkInPlace'>
  readonly refusals: RefusalLog
  readonly limits: RateLimits
  /** Looks along the whole log are made one after the other: several at once would stall all other calls. */
  readonly longLooks: Semaphore
  /** The host name of the owner's pages, where the hub serves them. Only the owner is told. */
  readonly ownerName: string | undefined
  /** What the owner has stopped. */
  readonly locks: Locks
  /** What is under way outside the hub. */
  readonly acts: Acts
  /** Aborted when the hub begins to stop: what only waits ends then. */
  readonly stopping: AbortController
  /** The tools that vault policies bind to. */
  readonly upstreams: Omit<LazyUpstreams, 'close'>
  /** Takes secrets out of what comes from outside the hub. */
  readonly redactValue: RedactValue
  /** The folder of the starter flows. */
  readonly starters: string
  rulesOf(vault_id: string): VaultRules
  /** Another operation, for one that is served by it. */
  findOperation(name: string): Promise<Operation | undefined>
  /** Does something once in this process; a failure is not remembered. */
  once(key: string, act: () => Promise<void>): Promise<void>
  /** How often this process has taken over what another hub had left, by what it was. */
  readonly takeovers: { run: number; execution: number }
  /** Tells metrics and logs of a finished call. */
  observe(record: AuditRecord): void
  observers: ((record: AuditRecord) => void)[]
  /** The workers of a hub that serves, by name. Whoever makes work due wakes its worker, where there is one. */
  readonly workers: Map<string, { wake(): void }>
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
  /** Where the tools of policies find the tokens of the owner's connections; without it they find none. */
  connectionTokens?: (hub: Hub) => ConnectionTokens
  /** Looks through the database for damage before using it. */
  checkIntegrity?: boolean
  /** The owner goes on without what the store has lost; that is put on record. */
  acceptLoss?: boolean
  /** Whether it will serve pages, and so needs a name for the owner's. */
  serves?: boolean
  /** Where it tells what it does; without it nowhere. */
  tracing?: Tracing
}

/** Opens a home, making what is missing; whatever is damaged stops it here, by name. */
export async function openHub(options: HubOptions): Promise<Hub> {
  const { home, env, system: machine } = options
  const { tracing, log } = tellersOf(options)
  ensurePrivateFolder(home.folder)
  checkWhole(home)
  const config = readHubConfig(home)
  const key = findAuditKey(home, env)
  const { checkIntegrity = false, acceptLoss = false, serves = false } = options
  if (key) checkNotLost(home, env, acceptLoss)
  const restored = findRestored(home)
  const about = { accept_loss: acceptLoss, is_restored: !!restored }
  const witness = homeWitness({ home, key, system: machine, log, ...about })
  const beforeMigration = backupFirst({ home, env, system: machine, log, config })
  const keeping = { checkIntegrity, check: witness.check, acceptLoss, beforeMigration }
  const db = tracing.database(await openDatabase(home, env, machine.now(), keeping))
  const closing: Hub['closing'] = []
  try {
    const system = await onDatabaseTime(db, machine, closing)
    const sealing = key ?? (await makeAuditKey(db, home, system))
    const audit = await openAuditLog(db, sealing, witness)
    const loss = await witness.begin(db, sealing)
    if (restored) await recordRestored({ audit, db, home, system }, restored)
    if (acceptLoss) await recordLoss({ audit, db, home, system }, loss)
    const refusals = coalesceRefusals((record) => audit.append(record))
    const observers: Hub['observers'] = []
    const tokens = () => options.connectionTokens?.(hub)
    const upstreams = lazyUpstreams({ env, log, now: system.now, tokens, tracing })
    const stopping = new AbortController()
    const hub: Hub = {
      ...partsOf(options, { config, system, db }),
      observers,
      closing,
      stopping,
      parts: new Map(),
      workers: new Map(),
      observe: (record) => observers.forEach((tell) => tell(record)),
      audit,
      witness,
      refusals,
      upstreams,
      ownerName: serves ? await db.transaction((tx) => ensureOwnerName(tx, system)) : undefined,
      async close() {
        stopping.abort()
        await Promise.allSettled(closing.map((end) => end()))
        await upstreams.close()
        await refusals.flushAll().catch((error: Error) => log.error({ fault: error.name }, 'refusals lost'))
        await db.close()
        witness.close()
        await tracing.close()
      },
    }
    return hub
  } catch (error) {
    await Promise.allSettled(closing.map((end) => end()))
    await db.close()
    witness.close()
    await tracing.close()
    throw error
  }
}

/** Where the hub tells what it does. */
function tellersOf({ tracing = NO_TRACING, log }: HubOptions): Pick<Hub, 'tracing' | 'log'> {
  return { tracing, log: tracing.log(log) }
}

type Opened = Pick<Hub, 'config' | 'system' | 'db'>

/** What needs nothing to be read or written at the start, and nothing to be ended. */
function partsOf(options: HubOptions, opened: Opened) {
  const { home, env, system: machine } = options
  const { config, system, db } = opened
  const locks = openLocks(db)
  return {
    ...tellersOf(options),
    home,
    env,
    config,
    system,
    db,
    machineNow: machine.now,
    takeovers: { run: 0, execution: 0 },
    redactValue: lazyRedactors(env),
    locks,
    acts: watchActs({ locks }),
    limits: rateLimits(config.rate_limits, system.now),
    longLooks: openSemaphore(1, {
      limit: LONG_LOOKS_WAITING,
      full: () => new Refusal('RATE_LIMITED', undefined, 1),
    }),
    starters: options.starters ?? join(PACKAGE_FOLDER, 'flows', 'starter'),
    rulesOf: followPolicies(home),
    findOperation: options.findOperation ?? (async () => undefined),
    once: onceEach(),
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
