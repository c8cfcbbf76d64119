import type { LookupFunction } from 'node:net'
import type { Log } from '../basics/plain-log.ts'
import type { Redact } from '../basics/redact-name.ts'
import type { ConnectionTokens } from './connection-tokens.ts'
import { type Credentials, credentialSource } from './credentials.ts'
import { type Bounds, waitFor } from './deadline.ts'
import { guardedAgents } from './http/guarded-agent.ts'
import { callHttp, type HttpAnswer } from './http/http-call.ts'
import { mcpServers } from './http/mcp-servers.ts'
import type { McpConversation } from './mcp/conversation.ts'
import { type McpServer, type ServerEvent, type ServerNews, serverId } from './mcp/server-events.ts'
import { credentialPrograms } from './programs/credential-programs.ts'
import type { CommandProvider, HttpProvider, UrlProvider } from './provider-policy.ts'
import { valueRedactor } from './redact-values.ts'
import { childPool, POOL_LIMITS, type PoolLimits } from './stdio/child-pool.ts'
import { UpstreamFailure } from './upstream-failure.ts'

/** Calls over HTTP at the same time; beyond it the hub itself is what is overloaded. */
const MAX_WEB_CALLS = 1024

export interface ReachOptions {
  readonly env: NodeJS.ProcessEnv
  readonly log: Log
  readonly now: () => Date
  /** Hears of the sessions to MCP servers. */
  readonly onServer?: ((event: ServerEvent) => void) | undefined
  /** Finds the addresses of a name; the system's own unless a test brings one. */
  readonly lookup?: LookupFunction
  /** Where providers that name a connection get its tokens. */
  readonly tokens?: ConnectionTokens | undefined
  readonly limits?: Partial<PoolLimits>
  /** How long a program that gives a credential is left alone after it was asked. */
  readonly exec_rest_ms?: number
}

type CommandServer = Omit<CommandProvider, 'tool'>
export type Provided = McpServer | HttpProvider

/** Providers, each reached with its own credentials; `redact` takes those out of what it says. */
export interface Reach {
  useServer<Result>(
    server: McpServer,
    bounds: Bounds,
    act: (conversation: McpConversation, redact: Redact) => Promise<Result>,
  ): Promise<Result>
  callService<Result>(
    provider: HttpProvider,
    payload: Record<string, unknown>,
    bounds: Bounds,
    act: (answer: HttpAnswer, redact: Redact) => Result,
  ): Promise<Result>
  close(): Promise<void>
}

export function openReach(options: ReachOptions): Reach {
  const { env, log, now, lookup, limits, onServer, exec_rest_ms, tokens } = options
  const tell = (kind: ServerNews, server: string) => onServer?.({ kind, server })
  const programs = credentialPrograms(env, exec_rest_ms === undefined ? {} : { rest_ms: exec_rest_ms })
  const credentials = credentialSource(env, log, programs, tokens)
  const redactors = keptByCredentials((_provider: Provided, { secrets }) => valueRedactor(secrets))
  const specs = keptByCredentials((provider: CommandServer, { values }) => {
    const spec = { command: provider.command, env: values, cwd: provider.cwd }
    return { spec: { ...spec, server: serverId(provider) }, key: JSON.stringify(spec) }
  })
  const pool = childPool({ env, log, now, limits: { ...POOL_LIMITS, ...limits }, tell })
  const agents = guardedAgents(lookup)
  const servers = mcpServers(agents, tell)
  const onWeb = webCalls()

  /** With other credentials once more, where the first were refused and there are others. */
  const withCredentials = <Result>(
    provider: Omit<UrlProvider, 'tool'> | HttpProvider,
    bounds: Bounds,
    ask: (given: Credentials) => Promise<Result>,
  ): Promise<Result> =>
    onWeb(async () => {
      const given = await waitIfNeeded(credentials.ofWeb(provider), bounds)
      try {
        return await ask(given)
      } catch (error) {
        if (!isUnauthorized(error) || !credentials.forget(provider, given)) throw error
        const renewed = await waitIfNeeded(credentials.ofWeb(provider), bounds)
        if (isSameCredentials(given, renewed)) throw error
        return ask(renewed)
      }
    })
  return {
    async useServer(server, bounds, act) {
      if ('url' in server)
        return withCredentials(server, bounds, (given) =>
          act(showing(servers.sessionFor(server, given), server, given), redactors(server, given)),
        )
      const given = await waitIfNeeded(credentials.ofCommand(server), bounds)
      const { spec, key } = specs(server, given)
      return pool.use(key, spec, bounds, (session) => act(session, redactors(server, given)))
    },
    async callService(provider, payload, bounds, act) {
      return withCredentials(provider, bounds, async (given) =>
        act(await callHttp(agents, provider, given, payload, bounds), redactors(provider, given)),
      )
    },
    async close() {
      credentials.close()
      await Promise.all([pool.close(), servers.close()])
      await agents.close()
    },
  }
}

/** So many at the same time, and no more. */
function webCalls() {
  let count = 0
  return async <Result>(ask: () => Promise<Result>): Promise<Result> => {
    if (count >= MAX_WEB_CALLS) throw new UpstreamFailure('not_available', false)
    count++
    try {
      return await ask()
    } finally {
      count--
    }
  }
}

/** A session outlives tokens, so each call shows the token that it was given. */
function showing(
  session: McpConversation,
  { credentials }: Omit<UrlProvider, 'tool'>,
  { values: { authorization } }: Credentials,
): McpConversation {
  if (!credentials) return session
  return {
    call: (call) => session.call({ ...call, authorization }),
    list: (bounds, want) => session.list({ ...bounds, authorization }, want),
  }
}

function waitIfNeeded(given: Credentials | Promise<Credentials>, { deadline, progress }: Bounds) {
  return given instanceof Promise ? waitFor(given, deadline, progress) : given
}

function isUnauthorized(error: unknown): boolean {
  return error instanceof UpstreamFailure && error.status === 401
}

/** Makes a thing for each provider of a policy, and anew when its credentials have changed. */
function keptByCredentials<Provider extends Provided, Value>(
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
