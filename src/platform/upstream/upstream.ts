import type { LookupFunction } from 'node:net'
import type { Log } from '../basics/plain-log.ts'
import type { Redact } from '../basics/redact-name.ts'
import { type Credentials, credentialSource } from './credentials.ts'
import { type Progress, startDeadline } from './deadline.ts'
import { guardedAgents } from './http/guarded-agent.ts'
import { callHttp, type HttpAnswer } from './http/http-call.ts'
import { mcpServers } from './http/mcp-servers.ts'
import type { CommandProvider, HttpProvider, ToolProvider, UrlProvider } from './provider-policy.ts'
import { redactDeep, valueRedactor } from './redact-values.ts'
import { childPool, POOL_LIMITS, type PoolLimits } from './stdio/child-pool.ts'
import { failureOf, UpstreamFailure } from './upstream-failure.ts'

export { UpstreamFailure, type UpstreamReason } from './upstream-failure.ts'

/** A provider's answer, with every known credential taken out. */
export type UpstreamAnswer = { kind: 'mcp'; result: object } | HttpAnswer

/** The tools behind the policies. */
export interface Upstreams {
  /** Calls what a policy binds. Every failure is an `UpstreamFailure`. */
  call(
    provider: ToolProvider,
    payload: Record<string, unknown>,
    options?: { signal?: AbortSignal | undefined },
  ): Promise<UpstreamAnswer>
  /** Ends all children and connections. Calls in flight fail. */
  close(): Promise<void>
}

export interface UpstreamOptions {
  readonly env: NodeJS.ProcessEnv
  readonly log: Log
  readonly now: () => Date
  /** Finds the addresses of a name; the system's own unless a test brings one. */
  readonly lookup?: LookupFunction
  readonly limits?: Partial<PoolLimits>
}

/** Calls over HTTP at the same time; beyond it the hub itself is what is overloaded. */
const MAX_WEB_CALLS = 1024

type Bounds = { deadline: ReturnType<typeof startDeadline>; progress: Progress }
type Callable = CommandProvider | UrlProvider | HttpProvider

export function createUpstreams({ env, log, now, lookup, limits }: UpstreamOptions): Upstreams {
  const credentials = credentialSource(env, log)
  const redactors = keptByCredentials((_provider: Callable, { secrets }) => valueRedactor(secrets))
  const specs = keptByCredentials((provider: CommandProvider, { values }) => {
    const spec = { command: provider.command, env: values, cwd: provider.cwd }
    return { spec, key: JSON.stringify(spec) }
  })
  const pool = childPool({ env, log, now, limits: { ...POOL_LIMITS, ...limits } })
  const agents = guardedAgents(lookup)
  const servers = mcpServers(agents)
  let web_calls = 0
  let closed = false

  const callChild = async (provider: CommandProvider, payload: Record<string, unknown>, bounds: Bounds) => {
    const given = credentials.ofCommand(provider)
    const { spec, key } = specs(provider, given)
    const { tool, max_output_bytes: limit_bytes } = provider
    const result = await pool.call(key, spec, { tool, payload, limit_bytes, ...bounds })
    return clean(redactors(provider, given), { kind: 'mcp', result })
  }
  const callWeb = async (
    provider: UrlProvider | HttpProvider,
    payload: Record<string, unknown>,
    bounds: Bounds,
  ) => {
    if (web_calls >= MAX_WEB_CALLS) throw new UpstreamFailure('not_available', false)
    const given = credentials.ofWeb(provider)
    web_calls++
    try {
      const answer =
        provider.kind === 'http'
          ? await callHttp(agents, provider, given, payload, bounds)
          : { kind: 'mcp' as const, result: await servers.call(provider, given, payload, bounds) }
      return clean(redactors(provider, given), answer)
    } finally {
      web_calls--
    }
  }
  return {
    async call(provider, payload, { signal } = {}) {
      if (closed || provider.kind === 'toolbox') throw new UpstreamFailure('not_available', false)
      if (signal?.aborted) throw new UpstreamFailure('cancelled', false)
      const progress: Progress = { sent: false }
      try {
        const bounds = { deadline: startDeadline(provider.timeout_seconds, signal), progress }
        if ('command' in provider) return await callChild(provider, payload, bounds)
        return await callWeb(provider, payload, bounds)
      } catch (error) {
        const failure = failureOf(error, progress.sent)
        throw closed ? new UpstreamFailure('cancelled', failure.sent) : failure
      }
    },
    async close() {
      if (closed) return
      closed = true
      await Promise.all([pool.close(), servers.close()])
      await agents.close()
    },
  }
}

/** Takes the credentials out of an answer. One nested too deep to be looked through is not passed on. */
function clean(redact: Redact, answer: UpstreamAnswer): UpstreamAnswer {
  try {
    if (answer.kind === 'mcp') return { kind: 'mcp', result: redactDeep(answer.result, redact) as object }
    const content_type = answer.content_type === null ? null : redact(answer.content_type)
    return { ...answer, content_type, body: redactDeep(answer.body, redact) }
  } catch {
    throw new UpstreamFailure('protocol', true)
  }
}

/** Makes a thing for each provider of a policy, and anew when its credentials have changed. */
function keptByCredentials<Provider extends Callable, Value>(
  make: (provider: Provider, given: Credentials) => Value,
): (provider: Provider, given: Credentials) => Value {
  const known = new WeakMap<Provider, { given: Credentials; value: Value }>()
  return (provider, given) => {
    const held = known.get(provider)
    if (held && isSameCredentials(held.given, given)) return held.value
    const value = make(provider, given)
    known.set(provider, { given, value })
    return value
  }
}

function isSameCredentials(one: Credentials, other: Credentials): boolean {
  return one === other || JSON.stringify(one) === JSON.stringify(other)
}
