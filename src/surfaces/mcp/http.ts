import type { IncomingMessage, ServerResponse } from 'node:http'
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler } from '@modelcontextprotocol/server'
import { readEnvelope, renderRefusal } from './envelope-guard.ts'
import { createFastAnswer } from './fast-answer.ts'
import { createFastRequests, type FastRequest } from './fast-request.ts'
import { createSdkServer } from './sdk-server.ts'
import { abortWhenClosed, createSender } from './send.ts'
import type { ToolHost } from './tool-host.ts'
import { createToolLists, type ListTools } from './tool-list.ts'
import type { OnError } from './tool-result.ts'

export interface McpHttpOptions<Caller> {
  /** Off only in tests and benchmarks, to compare with the SDK alone. */
  fastPath?: boolean
  keepAliveMs?: number
  maxSubscriptions?: number
  /** Sent with every answer. */
  headers?: readonly (readonly [string, string])[]
  /** Keeps the record of a body that was refused unread; an answer of 500 or more is sent in place of ours. */
  onRefused?: (caller: Caller) => Promise<{ status: number; text: string }>
  /** Told of rejected requests and faults. Never alters an answer. */
  onError?: OnError
}

export interface McpHttp<Caller> {
  /** Serves one request whose headers were checked, body read and caller verified by the host. */
  handle(req: IncomingMessage, res: ServerResponse, bodyText: string, caller: Caller): Promise<void>
  /** Who answered how many requests. */
  readonly answered: { fast: number; sdk: number; refused: number }
  close(): Promise<void>
}

const KEEP_ALIVE_MS = 15_000
const MAX_SUBSCRIPTIONS = 64

/** MCP over Streamable HTTP: the SDK is the protocol's truth, the fast path only its echo. */
export function createMcpHttp<Caller>(
  host: ToolHost<Caller>,
  options: McpHttpOptions<Caller> = {},
): McpHttp<Caller> {
  const lists = createToolLists()
  const onError = options.onError ?? (() => {})
  const sdk = createSdkHandler(host, lists, { ...options, onError })
  const findFast = options.fastPath === false ? () => undefined : createFastRequests()
  const answerFast = createFastAnswer(host, lists, onError)
  const keepAliveMs = options.keepAliveMs ?? KEEP_ALIVE_MS
  const answered = { fast: 0, sdk: 0, refused: 0 }
  const { headers = [] } = options
  const send = createSender(headers.flat())

  async function sendFast(request: FastRequest, res: ServerResponse, caller: Caller): Promise<void> {
    if (request.era === 'modern') {
      const message = await answerFast(request, caller, abortWhenClosed(res))
      if (!res.destroyed) send.json(res, 200, message)
      return
    }
    const stopKeepAlive = send.startKeepAlive(res, keepAliveMs)
    const message = await answerFast(request, caller, abortWhenClosed(res))
    stopKeepAlive()
    if (!res.destroyed) send.event(res, message)
  }

  return {
    answered,
    close: sdk.close,
    async handle(req, res, bodyText, caller) {
      const envelope = req.method === 'POST' ? readEnvelope(bodyText) : { body: null }
      if ('refused' in envelope) {
        answered.refused++
        const kept = await options.onRefused?.(caller)
        if (kept && kept.status >= 500) return send.json(res, kept.status, kept.text)
        return send.json(res, 400, renderRefusal(envelope.refused))
      }
      const request = findFast(req.headers, envelope.body)
      answered[request ? 'fast' : 'sdk']++
      if (request) return sendFast(request, res, caller)
      for (const [name, value] of headers) res.setHeader(name, value)
      return sdk.handle(req, res, envelope.body, caller)
    },
  }
}

function createSdkHandler<Caller>(
  host: ToolHost<Caller>,
  lists: ListTools,
  {
    keepAliveMs = KEEP_ALIVE_MS,
    maxSubscriptions = MAX_SUBSCRIPTIONS,
    onError,
  }: McpHttpOptions<Caller> & { onError: OnError },
) {
  const handler = createMcpHandler(
    ({ authInfo }) => createSdkServer(host, authInfo?.extra?.caller as Caller, lists, onError),
    { keepAliveMs, maxSubscriptions, onerror: onError },
  )
  const serve = toNodeHandler(handler, { onerror: onError })
  return {
    close: handler.close,
    /** The SDK hands `auth` to the factory untouched; it is how the verified caller gets there. */
    handle(req: IncomingMessage, res: ServerResponse, body: unknown, caller: Caller): Promise<void> {
      const auth = { token: '', clientId: '', scopes: [], extra: { caller } }
      return serve(Object.assign(req, { auth }) as NodeIncomingMessageLike, res, body)
    },
  }
}
