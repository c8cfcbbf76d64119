import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { createMcpHttp, type McpHttp, type McpHttpOptions } from './http.ts'
import type { ClientClaim, ToolAnswer, ToolDescription, ToolHost } from './tool-host.ts'

/** A host for tests: a few tools that show what reached them. */
export interface SampleCaller {
  name: string
  mayEcho: boolean
}

export interface SampleCall {
  caller: string
  tool: string
  args: unknown
  client: ClientClaim
}

export const SAMPLE_CALLER: SampleCaller = { name: 'ann', mayEcho: true }

const annotations = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false }

const SAMPLE_TOOLS: readonly ToolDescription[] = [
  {
    name: 'echo',
    title: 'Echo',
    description: 'Gives back its arguments.',
    inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
    outputSchema: { type: 'object', properties: { args: {} }, required: ['args'] },
    annotations,
  },
  {
    name: 'refuse',
    description: 'Always refuses — with an error.',
    inputSchema: { type: 'object', properties: {} },
    outputSchema: {
      oneOf: [
        { type: 'object', required: ['a'] },
        { type: 'object', required: ['b'] },
      ],
    },
    annotations,
  },
]

const NO_TOOLS: readonly ToolDescription[] = []

export function createSampleHost(): ToolHost<SampleCaller> & { calls: SampleCall[]; aborted: string[] } {
  const calls: SampleCall[] = []
  const aborted: string[] = []
  return {
    calls,
    aborted,
    serverInfo: { name: 'sample', version: '1.2.3', instructions: 'Ask "nicely" — please.' },
    prompts: {
      isOffered: ({ mayEcho }) => mayEcho,
      list: () => [],
      get: () => undefined,
    },
    listTools: (caller) => (caller.mayEcho ? SAMPLE_TOOLS : NO_TOOLS),
    async callTool(caller, name, args, client, { signal } = {}) {
      calls.push({ caller: caller.name, tool: name, args, client })
      signal?.addEventListener('abort', () => aborted.push(name))
      return caller.mayEcho ? answerSample(name, args, signal) : 'unknown_tool'
    },
  }
}

async function answerSample(
  name: string,
  args: unknown,
  signal?: AbortSignal,
): Promise<ToolAnswer | 'unknown_tool'> {
  if (name === 'echo') return { ok: true, text: JSON.stringify({ args: args ?? null }) }
  if (name === 'pretty') return { ok: true, text: JSON.stringify({ args: args ?? null }, null, 2) }
  if (name === 'refuse') return { ok: false, text: '{"error":"No.","code":"REFUSED"}' }
  if (name === 'throw') throw new Error('a secret of the inside')
  if (name === 'slow') return answerLate(args as { ms: number }, signal)
  return 'unknown_tool'
}

async function answerLate({ ms }: { ms: number }, signal?: AbortSignal): Promise<ToolAnswer> {
  const done = Promise.withResolvers<void>()
  const timer = setTimeout(done.resolve, ms)
  signal?.addEventListener('abort', () => done.resolve(), { once: true })
  await done.promise
  clearTimeout(timer)
  return { ok: true, text: '{"args":"late"}' }
}

export interface SampleServer {
  url: string
  port: number
  mcp: McpHttp<SampleCaller>
  host: ReturnType<typeof createSampleHost>
  close(): Promise<void>
}

/** The surface on a bare loopback server, with the caller taken as verified. */
export async function startSampleServer(
  options: McpHttpOptions<SampleCaller> = {},
  caller: SampleCaller = SAMPLE_CALLER,
): Promise<SampleServer> {
  const host = createSampleHost()
  const mcp = createMcpHttp(host, options)
  const server: Server = createServer(async (req: IncomingMessage, res) => {
    await mcp.handle(req, res, await text(req), caller)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const close = async () => {
    await mcp.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  return { url: `http://127.0.0.1:${port}/mcp`, port, mcp, host, close }
}
