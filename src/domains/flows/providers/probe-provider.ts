import { z } from 'zod'
import type { Hub } from '../../../operations/hub.ts'
import type { NamedProvider } from '../../../platform/upstream/provider-policy.ts'
import { UpstreamFailure } from '../../../platform/upstream/upstream-failure.ts'

export const ProbeShape = z.strictObject({
  answers: z.boolean(),
  reason: z.string().nullable().describe('Why not, in one word'),
  says: z.string().describe('The same in a sentence'),
  status: z.int().nullable().describe('The HTTP status, where it answered with an error'),
  tools: z.array(z.string()).nullable().describe('What an MCP server lists'),
  whole: z.boolean().describe('False where it lists more than the hub looks at'),
})
export type Probe = z.output<typeof ProbeShape>

const SHOWN_TOOLS = 1_000

/**
 * Whether a provider answers, with its credentials and without any effect: a server lists its tools, and a service is
 * asked for its options.
 */
export async function probeProvider(hub: Hub, provider: NamedProvider, signal: AbortSignal): Promise<Probe> {
  try {
    if (provider.kind === 'http') return await probeService(hub, provider, signal)
    const { tools, is_cut } = await hub.upstreams.listTools(provider, { signal })
    const names = tools.slice(0, SHOWN_TOOLS).map(({ name }) => name)
    return { ...ANSWERED, tools: names, whole: !is_cut && tools.length <= SHOWN_TOOLS }
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error
    const { reason, message: says, status = null } = error
    return { answers: false, reason, says, status, tools: null, whole: true }
  }
}

const ANSWERED = { answers: true, reason: null, says: 'It answers.', status: null } as const

async function probeService(
  hub: Hub,
  provider: NamedProvider & { kind: 'http' },
  signal: AbortSignal,
): Promise<Probe> {
  const none = { tools: null, whole: true }
  try {
    // No policy may name this method: it does nothing but ask.
    await hub.upstreams.call({ ...provider, method: 'OPTIONS' as 'POST' }, {}, { signal })
    return { ...ANSWERED, ...none }
  } catch (error) {
    const status = error instanceof UpstreamFailure ? error.status : undefined
    // Few services know the method. What tells of it is an answer; that a credential is not taken is one to act on.
    if (status === undefined || status >= 500 || status === 401 || status === 403) throw error
    return { ...ANSWERED, ...none, status }
  }
}
