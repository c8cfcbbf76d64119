import { createHmac } from 'node:crypto'
import type { HttpEngine } from '../../../platform/policy/engine-policy.ts'
import type { CredentialSource } from '../../../platform/upstream/credentials.ts'
import { startDeadline } from '../../../platform/upstream/deadline.ts'
import { exchange, type WebReply } from '../../../platform/upstream/http/exchange.ts'
import type { Agents } from '../../../platform/upstream/http/guarded-agent.ts'
import { UpstreamFailure, type UpstreamReason } from '../../../platform/upstream/upstream-failure.ts'
import type { ExecutionErrorCode } from '../executions/execution-record.ts'
import { type EngineCall, type EngineEnd, failedWith } from './engine-end.ts'

const ENDS: Partial<Record<UpstreamReason, ExecutionErrorCode>> = {
  timeout: 'ENGINE_TIMEOUT',
  too_large: 'ENGINE_FLOODED',
  protocol: 'ENGINE_CRASHED',
}

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/gi

const PREFIX = 'whsec_'

/** Asks an engine over HTTP, once: a signed POST to the one address of the policy, never to where it leads. */
export async function runHttpEngine(
  engine: HttpEngine,
  surroundings: { agents: Agents; credentials: CredentialSource; now: () => Date; message_id: string },
  call: EngineCall,
): Promise<EngineEnd> {
  const { agents, credentials, now, message_id } = surroundings
  try {
    const secret = await secretOf(engine, credentials)
    const reply = await exchange(agents.agentFor(engine.url, engine.allow_addresses), {
      url: new URL(engine.url),
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        ...signedHeaders(secret, message_id, now(), call.input_text),
      },
      body: call.input_text,
      limit_bytes: engine.max_output_bytes,
      as_bytes: true,
      deadline: startDeadline(engine.timeout_seconds, call.signal),
      progress: { sent: false },
    })
    if (reply.status === 200) return answerOf(reply)
    return failedWith(reply.status >= 500 ? 'ENGINE_CRASHED' : 'ENGINE_UNAVAILABLE')
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    if (error.reason === 'cancelled') return { kind: 'cancelled' }
    return failedWith(ENDS[error.reason] ?? 'ENGINE_UNAVAILABLE')
  }
}

/** JSON travels as UTF-8, and as it is: that is how it was asked for. Anything else could be read in two ways. */
function answerOf({ headers, bytes }: WebReply): EngineEnd {
  const charsets = [...(headers['content-type'] ?? '').matchAll(CHARSET)].map(([, name = '']) => name)
  if (!charsets.every((name) => /^utf-?8$/i.test(name)))
    return { kind: 'unreadable', message: 'is said to be in another charset than UTF-8' }
  if (!/^(identity)?$/i.test(headers['content-encoding'] ?? ''))
    return { kind: 'unreadable', message: 'is packed, and was asked for as it is' }
  return { kind: 'answered', document: bytes ?? Buffer.alloc(0) }
}

/** The secret behind `env:` or `file:`, by the same rules as the credentials of tools. */
async function secretOf({ url, secret }: HttpEngine, credentials: CredentialSource): Promise<string> {
  const bounds = { timeout_seconds: 1, max_output_bytes: 1, allow_addresses: [] }
  const given = await credentials.ofWeb({ kind: 'http', method: 'POST', url, headers: { secret }, ...bounds })
  return given.values.secret as string
}

/**
 * The headers by which an engine can tell that a request is its host's and new, in the form of Standard
 * Webhooks: `v1,` and the base64 HMAC-SHA-256 over id, timestamp and body.
 */
function signedHeaders(secret: string, id: string, now: Date, body: string): Record<string, string> {
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
