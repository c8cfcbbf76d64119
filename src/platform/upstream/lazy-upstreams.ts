import type { ServerEvent } from './mcp/server-events.ts'
import type { UpstreamOptions, Upstreams } from './upstream.ts'

/** Upstreams that are loaded with the first call: most processes never make one. */
export interface LazyUpstreams extends Upstreams {
  /** Hears of the sessions to MCP servers, in the order in which it happens. A listener must not throw. */
  onServer(hear: (event: ServerEvent) => void): void
}

/** What is known before anything is called. Who has tokens is asked then. */
type LazyOptions = Omit<UpstreamOptions, 'tokens'> & { readonly tokens?: () => UpstreamOptions['tokens'] }

export function lazyUpstreams({ tokens, ...options }: LazyOptions): LazyUpstreams {
  const listeners: ((event: ServerEvent) => void)[] = []
  const onServer = (event: ServerEvent) => listeners.forEach((hear) => hear(event))
  let loading: Promise<Upstreams> | undefined
  const load = async () =>
    (await import('./upstream.ts')).createUpstreams({ ...options, onServer, tokens: tokens?.() })
  const upstreams = () => (loading ??= load())
  return {
    onServer: (hear) => void listeners.push(hear),
    call: async (...call) => (await upstreams()).call(...call),
    listTools: async (...asked) => (await upstreams()).listTools(...asked),
    close: async () => (await loading)?.close(),
  }
}
