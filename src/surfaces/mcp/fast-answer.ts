import { SERVER_INFO_META_KEY } from '@modelcontextprotocol/server'
import type { FastRequest } from './fast-request.ts'
import { capabilitiesOf, instructionsOf } from './sdk-server.ts'
import type { CallContext, ToolHost } from './tool-host.ts'
import type { ListTools } from './tool-list.ts'
import {
  INTERNAL_ERROR,
  type OnError,
  type RpcError,
  renderToolResult,
  unknownToolError,
} from './tool-result.ts'

type Call = Extract<FastRequest, { method: 'tools/call' }>
type FastAnswer<Caller> = (request: FastRequest, caller: Caller, told: Told) => Promise<string>
type Told = Pick<CallContext, 'signal' | 'progress'>
type Tails = Readonly<Record<'call' | 'list' | 'ask', string>>

/** Renders, for a recognised request, the very JSON-RPC message the SDK would have sent. */
export function createFastAnswer<Caller>(
  host: ToolHost<Caller>,
  lists: ListTools,
  onError: OnError,
): FastAnswer<Caller> {
  const tails = { legacy: { call: '', list: '', ask: '' }, modern: renderModernTails(host) }
  const render: FastAnswer<Caller> = async (request, caller, told) => {
    if (request.method === 'ping') return renderResult(request, '')
    if (request.method === 'initialize') return renderResult(request, renderHandshake(host, caller, request))
    const tail = tails[request.era]
    if (request.method === 'tools/call') return renderCall(host, request, caller, told, tail)
    return renderResult(request, lists(await host.listTools(caller)).text + tail.list)
  }
  return async (request, caller, told) => {
    try {
      return await render(request, caller, told)
    } catch (error) {
      onError(error as Error)
      return renderError(request, INTERNAL_ERROR)
    }
  }
}

async function renderCall<Caller>(
  host: ToolHost<Caller>,
  request: Call,
  caller: Caller,
  told: Told,
  tail: Tails,
): Promise<string> {
  const { capabilities, traceparent } = request
  const context = { ...told, ...(capabilities && { capabilities }), ...(traceparent && { traceparent }) }
  const answer = await host.callTool(caller, request.name, request.args, request.client, context)
  if (answer === 'unknown_tool') return renderError(request, unknownToolError(request.name))
  return renderResult(request, renderToolResult(answer) + (answer.asksBack ? tail.ask : tail.call))
}

function renderHandshake<Caller>(
  host: ToolHost<Caller>,
  caller: Caller,
  request: { protocolVersion: string },
): string {
  const { name, version } = host.serverInfo
  const instructions = instructionsOf(host, caller)
  const handshake = {
    protocolVersion: request.protocolVersion,
    capabilities: capabilitiesOf(host, caller, false),
    serverInfo: { name, version },
    ...(instructions && { instructions }),
  }
  return JSON.stringify(handshake).slice(1, -1)
}

/** What the 2026 revision puts after the members of a result. A list is for its caller alone. */
function renderModernTails(host: ToolHost<never>): Tails {
  const { name, version } = host.serverInfo
  const meta = `"_meta":${JSON.stringify({ [SERVER_INFO_META_KEY]: { name, version } })}`
  return {
    call: `,"resultType":"complete",${meta}`,
    ask: `,${meta}`,
    list: `,"resultType":"complete","ttlMs":0,"cacheScope":"private",${meta}`,
  }
}

function renderResult(request: FastRequest, members: string): string {
  return `{"result":{${members}},"jsonrpc":"2.0","id":${JSON.stringify(request.id)}}`
}

function renderError(request: FastRequest, error: RpcError): string {
  return `{"jsonrpc":"2.0","id":${JSON.stringify(request.id)},"error":${JSON.stringify(error)}}`
}
