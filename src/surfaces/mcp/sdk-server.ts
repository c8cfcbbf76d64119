import {
  type CallToolResult,
  CLIENT_INFO_META_KEY,
  ProtocolError,
  Server,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { ClientClaim, ToolHost } from './tool-host.ts'
import type { ListTools } from './tool-list.ts'
import { INTERNAL_ERROR, type OnError, type RpcError, toToolResult, unknownToolError } from './tool-result.ts'

/** What the hub offers over MCP. Tool sets change by grant, not by push, so no listChanged. */
export const SERVER_CAPABILITIES = { tools: {} } as const

/** One caller's view of the hub as an SDK server; the SDK wants a new one per request or connection. */
export function createSdkServer<Caller>(
  host: ToolHost<Caller>,
  caller: Caller,
  lists: ListTools,
  onError: OnError,
): Server {
  const { name, version } = host.serverInfo
  const instructions = instructionsOf(host, caller)
  const server = new Server(
    { name, version },
    { capabilities: SERVER_CAPABILITIES, ...(instructions !== undefined && { instructions }) },
  )
  server.setRequestHandler('tools/list', () =>
    orInternalError(async () => ({ tools: lists(await host.listTools(caller)).tools }), onError),
  )
  server.setRequestHandler('tools/call', { params: RawCallParams }, (params, { mcpReq }) => {
    const client = claimOf(server, mcpReq.envelope)
    const call = () => host.callTool(caller, params.name, params.arguments, client, mcpReq.signal)
    return orInternalError(() => callThrough(call, params.name), onError)
  })
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
