import type { Server } from 'node:http'

/** Calls that are still running this long after the stop began are cut off. */
export const STOP_LIMIT_MS = 10_000
/** How often a stopping hub looks for connections that wait for nothing. */
const LOOK_EVERY_MS = 50

/** Whether a hub takes new calls. */
export interface Readiness {
  /** Set when the hub begins to stop: it says so before it does anything else. */
  stopping: boolean
}

/** How a hub takes its leave. */
export interface Leave {
  /** New connections are still taken for so long, and told that the hub stops. */
  readonly notice_ms: number
  /** Kept connections are still answered for so long, and for as long as any call runs. */
  readonly kept_ms: number
}
export const AT_ONCE: Leave = { notice_ms: 0, kept_ms: 0 }

/** What `/readyz` says: a hub that stops, or that could record nothing, should be sent nothing new. */
export async function readinessOf(
  readiness: Readiness,
  isHealthy: () => Promise<boolean>,
): Promise<{ code: 200 | 503; body: object }> {
  const healthy = readiness.stopping || (await isHealthy())
  // It may have been told to stop meanwhile.
  if (readiness.stopping)
    return { code: 503, body: { status: 'stopping', calls_end_within_seconds: STOP_LIMIT_MS / 1_000 } }
  return healthy ? { code: 200, body: { status: 'ready' } } : { code: 503, body: { status: 'unavailable' } }
}

/**
 * Takes over when idle connections of a server are closed. Node and the framework would do it as soon as the server
 * stops listening, and whoever sent a request on one in that moment would never hear of it.
 */
export function keepIdleConnections(server: Server): (leave: Leave) => () => void {
  const closeIdle = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {}
  let running = 0
  server.on('request', (_request, response) => {
    running++
    response.once('close', () => running--)
  })
  return ({ kept_ms }) => {
    const began = performance.now()
    const look = setInterval(() => {
      if (kept_ms === 0 || (running === 0 && performance.now() - began >= kept_ms)) closeIdle()
    }, LOOK_EVERY_MS)
    const cutOff = setTimeout(() => server.closeAllConnections(), STOP_LIMIT_MS)
    return () => {
      clearInterval(look)
      clearTimeout(cutOff)
    }
  }
}
