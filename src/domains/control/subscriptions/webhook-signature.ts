import { createHmac } from 'node:crypto'
import type { System } from '../../../platform/basics/system.ts'

const PREFIX = 'whsec_'
const KEY_BYTES = 32

/** A new signing secret in the form of Standard Webhooks. */
export function newSigningSecret(system: System): string {
  return PREFIX + Buffer.from(system.random(KEY_BYTES), 'hex').toString('base64')
}

/** The headers by which a receiver knows that a body is ours: one signature for each secret that counts. */
export function signedHeaders(
  secrets: readonly string[],
  id: string,
  body: string,
  now: Date,
): Record<string, string> {
  const timestamp = String(Math.floor(now.getTime() / 1_000))
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64')
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`
  })
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  }
}
