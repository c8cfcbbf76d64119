import type { FastifyInstance } from 'fastify'
import { allChores, allOperations } from '../../domains/index.ts'
import { type Hub, type HubOptions, openHub } from '../../operations/hub.ts'
import { hubRecord } from '../../operations/hub-record.ts'
import { buildRegistry } from '../../operations/registry.ts'
import { pruneAudit } from '../../platform/audit/checkpoint.ts'
import { authenticator } from '../../platform/identity/authenticate.ts'
import { gatewayVerifier } from '../../platform/identity/gateway-jwt.ts'
import { ensureHubToken, followHubToken } from '../../platform/identity/hub-token.ts'
import { sql } from '../../platform/storage/database.ts'
import { buildApp } from './build-app.ts'

const FLUSH_EVERY_MS = 5_000
const PRUNE_EVERY_MS = 3_600_000
/** Calls that are still running this long after the stop began are cut off. */
const STOP_LIMIT_MS = 10_000
/** A connection that got its last answer while the hub stops is closed within this time. */
const CLOSE_IDLE_EVERY_MS = 50

/** Command lines make links that lead to the hub that was started last on the home. */
const writePort = sql(
  `INSERT INTO hub_meta (key, value) VALUES ('listening_port', ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
)

export interface RunningHub {
  readonly url: string
  readonly app: FastifyInstance
  readonly hub: Hub
  /** Lets running calls finish, then closes everything. */
  stop(): Promise<void>
}

/** Opens the home and listens. Nothing is served before the audit log has taken its first record. */
export async function startHub(options: HubOptions & { host: string; port: number }): Promise<RunningHub> {
  const registry = buildRegistry(allOperations)
  const findOperation = async (name: string) => registry.get(name)
  const hub = await openHub({ findOperation, ...options, checkIntegrity: true, shareLooks: true })
  try {
    ensureHubToken(hub.home, hub.system)
    const hubToken = followHubToken(hub.home.hubToken)
    const verifyJwt = await gatewayVerifier(hub.env, hub.system.now, (fault) =>
      hub.log.warn({ fault }, 'the keys of KNOWTATION_JWKS_URL cannot be used'),
    )
    const authenticate = authenticator({ db: hub.db, now: hub.system.now, hubToken, verifyJwt })
    await hub.audit.append(hubRecord(hub, 'hub_started'))
    const app = buildApp(hub, registry, authenticate)
    const url = await app.listen({ host: options.host, port: options.port })
    await hub.db.transaction((tx) => tx.run(writePort, new URL(url).port || '80'))
    return { url, app, hub, stop: stopper(app, hub, keepHouse(hub)) }
  } catch (error) {
    await hub.close()
    throw error
  }
}

/** Work that no call should wait for. */
function keepHouse(hub: Hub): () => void {
  const safely = (act: () => Promise<unknown>) => () =>
    void act().catch((error: Error) => hub.log.error({ fault: error.name }, 'housekeeping failed'))
  const prune = safely(() => pruneAudit(hub.db, hub.audit, hub.config.audit, hub.system.now()))
  const timers = [
    setInterval(
      safely(() => hub.refusals.flushDue(hub.system.now())),
      FLUSH_EVERY_MS,
    ),
    setInterval(prune, PRUNE_EVERY_MS),
    ...allChores.map(({ run, every_ms }) =>
      setInterval(
        safely(() => run(hub)),
        every_ms,
      ),
    ),
    setTimeout(prune, FLUSH_EVERY_MS),
  ]
  return () => timers.forEach((timer) => clearTimeout(timer))
}

function stopper(app: FastifyInstance, hub: Hub, endHousekeeping: () => void): () => Promise<void> {
  let stopping: Promise<void> | undefined
  const stop = async () => {
    endHousekeeping()
    const closeIdle = setInterval(() => app.server.closeIdleConnections(), CLOSE_IDLE_EVERY_MS)
    const cutOff = setTimeout(() => app.server.closeAllConnections(), STOP_LIMIT_MS)
    await app.close()
    clearInterval(closeIdle)
    clearTimeout(cutOff)
    await hub.close()
  }
  return () => (stopping ??= stop())
}
