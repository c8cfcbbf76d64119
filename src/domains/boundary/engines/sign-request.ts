import { createHmac } from 'node:crypto'

const PREFIX = 'whsec_'

/**
 * The headers by which an engine can tell that a request is its host's and new, in the form of Standard
 * Webhooks: `v1,` and the base64 HMAC-SHA-256 over id, timestamp and body.
 */
export function signedHeaders(secret: string, id: string, now: Date, body: string): Record<string, string> {
  const timestamp = Math.floor(now.getTime() / 1_000).toString()
  const key = secret.startsWith(PREFIX)
    ? Buffer.from(secret.slice(PREFIX.length), 'base64')
    : Buffer.from(secret)
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  }
}
