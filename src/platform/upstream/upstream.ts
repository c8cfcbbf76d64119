import { NO_TRACING, type SpanStart, type Tracing, toolCall } from '../tracing/tracing.ts'
import { cleanAnswer, cleanListing, cleanProgress, cleanVets, type UpstreamAnswer } from './cleaning.ts'
import { type Bounds, type Progress, startDeadline } from './deadline.ts'
import type { OnProgress } from './mcp/progress.ts'
import type { McpServer } from './mcp/server-events.ts'
import type { ToolListing, Vet, Wanted } from './mcp/tool-listing.ts'
import type { ToolProvider } from './provider-policy.ts'
import { openReach, type Provided, type ReachOptions } from './reach.ts'
import { failureOf, UpstreamFailure } from './upstream-failure.ts'

export { UpstreamFailure, type UpstreamReason } from './upstream-failure.ts'

/** The tools behind the policies. */
export interface Upstreams {
  /** Calls what a policy binds. Every failure is an `UpstreamFailure`. */
  call(
    provider: ToolProvider,
    payload: Record<string, unknown>,
    options?: CallOptions,
  ): Promise<UpstreamAnswer>
  /** What an MCP server lists in the session that calls of its tools use: asked for anew unless told otherwise. */
  listTools(server: McpServer, options?: ListOptions): Promise<ToolListing>
  /** Ends all children and connections. Calls in flight fail. */
  close(): Promise<void>
}

export interface ListOptions {
  readonly signal?: AbortSignal | undefined
  readonly want?: Wanted
}

export interface CallOptions {
  readonly signal?: AbortSignal | undefined
  /** MCP alone: looks at the tool's definition before the call is sent. */
  readonly vet?: Vet | undefined
  /** MCP alone: hears how far the tool says it has come. */
  readonly onProgress?: OnProgress | undefined
}

export interface UpstreamOptions extends ReachOptions {
  readonly tracing?: Tracing
}

/** A call of what a policy binds: by what the owner has written there, never by what was sent. */
function spanOf(provider: Exclude<ToolProvider, { kind: 'toolbox' }>): SpanStart {
  if (provider.kind === 'http')
    return {
      name: provider.method,
      kind: 'client',
      attributes: {
        'http.request.method': provider.method,
        'server.address': new URL(provider.url).hostname,
      },
    }
  return {
    name: `tools/call ${provider.tool}`,
    kind: 'client',
    attributes: {
      ...toolCall(provider.tool),
      'network.transport': 'url' in provider ? 'tcp' : 'pipe',
    },
  }
}

export function createUpstreams({ tracing = NO_TRACING, ...options }: UpstreamOptions): Upstreams {
  const reach = openReach(options)
  const cleanVet = cleanVets()
  let closed = false

  /** Every failure is an `UpstreamFailure`, and after the end it is that. */
  const bounded = async <Result>(
    { timeout_seconds }: Provided,
    signal: AbortSignal | undefined,
    act: (bounds: Bounds) => Promise<Result>,
  ): Promise<Result> => {
    if (closed) throw new UpstreamFailure('not_available', false)
    if (signal?.aborted) throw new UpstreamFailure('cancelled', false)
    const progress: Progress = { sent: false }
    try {
      const traceparent = tracing.traceparent()
      return await act({ deadline: startDeadline(timeout_seconds, signal), progress, traceparent })
    } catch (error) {
      const failure = failureOf(error, progress.sent)
      throw closed ? new UpstreamFailure('cancelled', failure.sent) : failure
    }
  }
  return {
    async call(provider, payload, { signal, vet, onProgress } = {}) {
      if (provider.kind === 'toolbox') throw new UpstreamFailure('not_available', false)
      const act = (bounds: Bounds) => {
        if (provider.kind === 'http')
          return reach.callService(provider, payload, bounds, (answer, redact) => cleanAnswer(redact, answer))
        const { tool, max_output_bytes: limit_bytes } = provider
        return reach.useServer(provider, bounds, async (conversation, redact) => {
          const told = { vet: cleanVet(redact, vet), onProgress: cleanProgress(redact, onProgress) }
          const call = { tool, payload, limit_bytes, ...told, ...bounds }
          return cleanAnswer(redact, { kind: 'mcp', result: await conversation.call(call) })
        })
      }
      return tracing.span(spanOf(provider), (span) =>
        bounded(provider, signal, act).catch((failure: UpstreamFailure) => {
          span.fail(failure.reason)
          throw failure
        }),
      )
    },
    listTools: (server, { signal, want = 'anew' } = {}) =>
      bounded(server, signal, (bounds) =>
        reach.useServer(server, bounds, async (conversation, redact) =>
          cleanListing(redact, await conversation.list(bounds, want)),
        ),
      ),
    async close() {
      if (closed) return
      closed = true
      await reach.close()
    },
  }
}
