import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  ProtocolError,
  Server,
  type ServerCapabilities,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { addOtherHandlers, contextOf, promptsFor } from './other-handlers.ts'
import type { CallContext, ClientClaim, OtherOffers, ToolHost } from './tool-host.ts'
import { type ListTools, pageOf } from './tool-list.ts'
import { INTERNAL_ERROR, type OnError, type RpcError, toToolResult, unknownToolError } from './tool-result.ts'

/** How often a client that asked for it is told that a call still runs. */
export const PROGRESS_EVERY_MS = 10_000

/** What a host offers over MCP. Only who can be told of a change is promised that. */
export function capabilitiesOf<Caller>(
  host: OtherOffers<Caller>,
  caller: Caller,
  isTold: boolean,
): ServerCapabilities {
  const listed = isTold ? { listChanged: true } : {}
  const prompts = promptsFor(host, caller)
  return {
    tools: listed,
    ...(prompts && { prompts: prompts.mark ? listed : {} }),
    ...(host.resources && { resources: {} }),
    ...(host.completions && { completions: {} }),
    ...(host.logs && { logging: {} }),
  }
}

interface Served<Caller> {
  readonly host: ToolHost<Caller>
  readonly caller: Caller
  readonly lists: ListTools
  readonly onError: OnError
  /** Whether the client is told when its tools have changed. */
  readonly isTold: boolean
  readonly progressMs?: number | undefined
}

/** One caller's view of the hub as an SDK server; the SDK wants a new one per request or connection. */
export function createSdkServer<Caller>(served: Served<Caller>): Server {
  const { host, caller, lists, onError, isTold, progressMs = PROGRESS_EVERY_MS } = served
  const { name, version } = host.serverInfo
  const instructions = instructionsOf(host, caller)
  const server = new Server(
    { name, version },
    {
      capabilities: capabilitiesOf(host, caller, isTold),
      ...(instructions !== undefined && { instructions }),
    },
  )
  server.setRequestHandler('tools/list', ({ params }) =>
    orInternalError(async () => pageOf(lists(await host.listTools(caller)).tools, params?.cursor), onError),
  )
  server.setRequestHandler('tools/call', { params: RawCallParams }, (params, context) => {
    const client = claimOf(server, context.mcpReq.envelope)
    // An older client has said in its opening what it can do; a request over HTTP knows of no opening.
    const capabilities = server.getClientCapabilities()
    const call = () =>
      withProgress(context, progressMs, (told) =>
        host.callTool(caller, params.name, params.arguments, client, {
          ...(capabilities && { capabilities }),
          ...told,
        }),
      )
    return orInternalError(() => callThrough(call, params.name), onError)
  })
  addOtherHandlers(server, host, caller, onError)
  return server
}

/** What this caller is told of how to begin. */
export function instructionsOf<Caller>(host: ToolHost<Caller>, caller: Caller): string | undefined {
  return host.instructionsFor?.(caller) ?? host.serverInfo.instructions
}

/** A 2026 client names itself in each request, an older one in its opening. */
function claimOf(server: Server, envelope: object = {}): ClientClaim {
  const claim = (envelope as Record<string, ClientClaim | undefined>)[CLIENT_INFO_META_KEY]
  return typeof claim?.name === 'string' ? claim : (server.getClientVersion() ?? {})
}

/** The SDK has checked the call's shape; the arguments go on untouched, for the pipeline to check. */
const RawCallParams = z.custom<{ name: string; arguments?: unknown }>()

/** Runs a call; a client that wants to know hears now and then that it still runs, where the tool tells nothing itself. */
async function withProgress<Result>(
  context: ServerContext,
  everyMs: number,
  call: (told: CallContext) => Promise<Result>,
): Promise<Result> {
  let count = 0
  const told = contextOf(context)
  const timer = setInterval(() => told.progress?.(++count), everyMs)
  timer.unref()
  const progress: CallContext['progress'] = (...values) => {
    clearInterval(timer)
    told.progress?.(...values)
  }
  try {
    return await call({ ...told, ...(told.progress && { progress }) })
  } finally {
    clearInterval(timer)
  }
}

async function callThrough(
  call: () => ReturnType<ToolHost<never>['callTool']>,
  name: string,
): Promise<CallToolResult> {
  const answer = await call()
  if (answer === 'unknown_tool') throw toProtocolError(unknownToolError(name))
  return toToolResult(answer)
}

/** The SDK would otherwise send the text of whatever was thrown. */
async function orInternalError<Result>(work: () => Promise<Result>, onError: OnError): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof ProtocolError) throw error
    onError(error as Error)
    throw toProtocolError(INTERNAL_ERROR)
  }
}

function toProtocolError({ code, message }: RpcError): ProtocolError {
  return new ProtocolError(code, message)
}
