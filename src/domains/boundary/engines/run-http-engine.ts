import type { HttpEngine } from '../../../platform/policy/engine-policy.ts'
import type { CredentialSource } from '../../../platform/upstream/credentials.ts'
import { startDeadline } from '../../../platform/upstream/deadline.ts'
import { exchange } from '../../../platform/upstream/http/exchange.ts'
import type { Agents } from '../../../platform/upstream/http/guarded-agent.ts'
import { UpstreamFailure, type UpstreamReason } from '../../../platform/upstream/upstream-failure.ts'
import type { ExecutionErrorCode } from '../executions/execution-record.ts'
import { type EngineCall, type EngineEnd, failedWith } from './engine-end.ts'
import { signedHeaders } from './sign-request.ts'

const ENDS: Partial<Record<UpstreamReason, ExecutionErrorCode>> = {
  timeout: 'ENGINE_TIMEOUT',
  too_large: 'ENGINE_FLOODED',
  protocol: 'ENGINE_CRASHED',
}

/** Asks an engine over HTTP, once: a signed POST to the one address of the policy, never to where it leads. */
export async function runHttpEngine(
  engine: HttpEngine,
  surroundings: { agents: Agents; credentials: CredentialSource; now: () => Date; message_id: string },
  call: EngineCall,
): Promise<EngineEnd> {
  const { agents, credentials, now, message_id } = surroundings
  try {
    const secret = secretOf(engine, credentials)
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
      deadline: startDeadline(engine.timeout_seconds, call.signal),
      progress: { sent: false },
    })
    if (reply.status === 200) return { kind: 'answered', text: reply.text }
    return failedWith(reply.status >= 500 ? 'ENGINE_CRASHED' : 'ENGINE_UNAVAILABLE')
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    if (error.reason === 'cancelled') return { kind: 'cancelled' }
    return failedWith(ENDS[error.reason] ?? 'ENGINE_UNAVAILABLE')
  }
}

/** The secret behind `env:` or `file:`, by the same rules as the credentials of tools. */
function secretOf({ url, secret }: HttpEngine, credentials: CredentialSource): string {
  const bounds = { timeout_seconds: 1, max_output_bytes: 1, allow_addresses: [] }
  const given = credentials.ofWeb({ kind: 'http', method: 'POST', url, headers: { secret }, ...bounds })
  return given.values.secret as string
}
