import { setTimeout as pause } from 'node:timers/promises'
import type { Server } from 'node:tls'
import type { FastifyInstance } from 'fastify'
import { connectionTokens } from '../../domains/control/authorization/connection-tokens.ts'
import { allChores, allOperations, beforePruning } from '../../domains/index.ts'
import { type Hub, type HubOptions, openHub } from '../../operations/hub.ts'
import { hubRecord } from '../../operations/hub-record.ts'
import { buildRegistry } from '../../operations/registry.ts'
import { pruneAudit } from '../../platform/audit/checkpoint.ts'
import { beginRetentionTime } from '../../platform/audit/retention-time.ts'
import { type EndPlaces, sendEnds } from '../../platform/audit/sent-ends/send-ends.ts'
import { slowVerifier } from '../../platform/audit/verify-slowly.ts'
import { findBootTime } from '../../platform/basics/process-name.ts'
import { authenticator } from '../../platform/identity/authenticate.ts'
import { gatewayVerifier } from '../../platform/identity/gateway-jwt.ts'
import { ensureHubToken, followHubToken } from '../../platform/identity/hub-token.ts'
import { sql } from '../../platform/storage/database.ts'
import { tracingFor } from '../../platform/tracing/tracing.ts'
import { buildApp } from './build-app.ts'
import { type Listening, listenEverywhere } from './listen.ts'
import { listenTls } from './listen-tls.ts'
import { AT_ONCE, keepIdleConnections, type Leave, type Readiness } from './readiness.ts'

const FLUSH_EVERY_MS = 5_000
const VERIFY_EVERY_MS = 60_000
const IN_PLACE_EVERY_MS = 2_000
const SEND_FIRST_MS = 2_000
const PRUNE_EVERY_MS = 3_600_000

/** Command lines make links that lead to the hub that was started last on the home. */
const writePort = sql(
  `INSERT INTO hub_meta (key, value) VALUES ('listening_port', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
)

export interface RunningHub {
  readonly url: string
  readonly app: FastifyInstance
  readonly hub: Hub
  /** Says so, lets running calls finish, then closes everything. */
  stop(leave?: Leave): Promise<void>
}

/** Opens the home and listens. Nothing is served before the audit log has taken its first record. */
export async function startHub(options: HubOptions & { host: string; port: number }): Promise<RunningHub> {
  const registry = buildRegistry(allOperations)
  const findOperation = async (name: string) => registry.get(name)
  const hub = await openHub({
    tracing: await tracingFor(options.env),
    findOperation,
    connectionTokens,
    ...options,
    checkIntegrity: true,
    serves: true,
  })
  try {
    ensureHubToken(hub.home, hub.system)
    const hubToken = followHubToken(hub.home.hubToken)
    const verifyJwt = await gatewayVerifier(hub.env, hub.system.now, (fault) =>
      hub.log.warn({ fault }, 'the keys of KNOWTATION_JWKS_URL cannot be used'),
    )
    const authenticate = authenticator({ db: hub.db, now: hub.system.now, hubToken, verifyJwt })
    await beginRetentionTime(hub.db)
    await hub.audit.append(hubRecord(hub, 'hub_started'))
    const readiness = { stopping: false }
    const app = buildApp(hub, registry, authenticate, readiness)
    const listening = await listenEverywhere(app, options)
    const { url } = listening
    const { tls, public_url } = hub.config
    const outside =
      tls && public_url
        ? await listenTls(app, hub, tls, public_url).catch(async (error) => {
            await Promise.all([listening.close(), app.close()])
            throw error
          })
        : undefined
    await hub.db.transaction((tx) => tx.run(writePort, new URL(url).port || '80'))
    const parts = { app, hub, listening, outside, readiness }
    return { url, app, hub, stop: stopper(parts, keepHouse(hub)) }
  } catch (error) {
    await hub.close()
    throw error
  }
}

/** Work that no call should wait for. */
function keepHouse(hub: Hub): () => void {
  const safely = (act: () => Promise<unknown>) => () =>
    void act().catch((error: Error) => hub.log.error({ fault: error.name }, 'housekeeping failed'))
  const pruneNow = pruner(hub)
  const prune = safely(async () => {
    await beforePruning(hub)
    await pruneNow()
  })
  const timers = [
    setInterval(
      safely(() => hub.refusals.flushDue(hub.system.now())),
      FLUSH_EVERY_MS,
    ),
    setInterval(prune, PRUNE_EVERY_MS),
    setInterval(safely(verifier(hub)), VERIFY_EVERY_MS),
    // Files that are gone take every write with them: then nothing is acknowledged any more.
    setInterval(
      safely(async () => hub.db.checkInPlace?.()),
      IN_PLACE_EVERY_MS,
    ),
    ...allChores.map(({ run, every_ms }) =>
      setInterval(
        safely(() => run(hub)),
        every_ms,
      ),
    ),
    setTimeout(prune, FLUSH_EVERY_MS),
    ...endsSent(hub, safely),
  ]
  return () => timers.forEach((timer) => clearTimeout(timer))
}

/** Where the owner wants ends of the log sent, that begins soon after the start. */
function endsSent(hub: Hub, safely: (act: () => Promise<unknown>) => () => void): NodeJS.Timeout[] {
  const { send_ends: places } = hub.config.audit
  if (!places) return []
  const send = safely(endSender(hub, places))
  return [setTimeout(send, SEND_FIRST_MS), setInterval(send, places.every_minutes * 60_000)]
}

/** Sends ends of the log; what it lacks of those that were sent is told once, in our log and on record. */
function endSender(hub: Hub, places: EndPlaces): () => Promise<unknown> {
  let known: string | null = null
  return async () => {
    const { behind, failure } = await sendEnds({ ...hub, key: hub.audit.key, places })
    if (failure) hub.log.warn({ failure }, 'an end of the audit log could not be sent')
    if (behind === known) return
    known = behind
    if (behind !== null) await tellFault(hub, behind)
  }
}

/** Prunes the log; how long the process has run since the last time does not depend on the clock. */
function pruner({ db, audit, config, system }: Hub): () => Promise<unknown> {
  let last = performance.now()
  return () => {
    const ran_ms = performance.now() - last
    last = performance.now()
    return pruneAudit(db, audit, config.audit, {
      now: system.now(),
      ran_ms,
      boot: findBootTime(),
    })
  }
}

/** Walks the chain in the background; a fault that is found is told once, in our log and on record. */
function verifier(hub: Hub): () => Promise<unknown> {
  const look = slowVerifier(hub.db, hub.audit.key)
  return async () => {
    const fault = await look(hub.system.now())
    if (fault !== undefined) await tellFault(hub, fault)
  }
}

async function tellFault(hub: Hub, fault: string): Promise<void> {
  hub.log.error({ fault }, 'the audit log is not as it was written')
  const seq = /Record (\d+)/i.exec(fault)?.[1]
  const target = seq === undefined ? undefined : { kind: 'audit_record', id: seq }
  const found = hubRecord(hub, 'audit_fault_found', 'default', target)
  await hub.audit.append({ ...found, outcome: 'failed', code: 'AUDIT_CHANGED' })
}

interface HubParts {
  readonly app: FastifyInstance
  readonly hub: Hub
  readonly listening: Listening
  /** Where the hub speaks TLS itself. */
  readonly outside: Server | undefined
  readonly readiness: Readiness
}

function stopper(
  { app, hub, listening, outside, readiness }: HubParts,
  endHousekeeping: () => void,
): RunningHub['stop'] {
  let stopping: Promise<void> | undefined
  const closeKept = keepIdleConnections(app.server)
  const stop = async (leave: Leave) => {
    readiness.stopping = true
    if (leave.notice_ms > 0) await pause(leave.notice_ms)
    endHousekeeping()
    const end = closeKept(leave)
    outside?.close()
    await Promise.all([listening.close(), app.close()])
    end()
    await hub.close()
  }
  return (leave = AT_ONCE) => (stopping ??= stop(leave))
}
