import type { UpstreamOptions, Upstreams } from './upstream.ts'

/** Upstreams that are loaded with the first call: most processes never make one. */
export function lazyUpstreams(options: UpstreamOptions): Pick<Upstreams, 'call' | 'close'> {
  let loading: Promise<Upstreams> | undefined
  const load = async () => (await import('./upstream.ts')).createUpstreams(options)
  return {
    call: async (...call) => (await (loading ??= load())).call(...call),
    close: async () => (await loading)?.close(),
  }
}
