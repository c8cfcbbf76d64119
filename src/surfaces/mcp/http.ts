import { AsyncLocalStorage } from 'node:async_hooks'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type NodeIncomingMessageLike, toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, type ServerEventBus } from '@modelcontextprotocol/server'
import { abortWhenClosed } from '../../platform/basics/abort-when-closed.ts'
import { readEnvelope, renderRefusal } from './envelope-guard.ts'
import { createFastAnswer } from './fast-answer.ts'
import { createFastRequests, type FastRequest } from './fast-request.ts'
import { isAboutTheHub } from './mcp-door.ts'
import { promptsFor } from './other-handlers.ts'
import { isPromptRequest } from './prompt-offer.ts'
import { createSdkServer, PROGRESS_EVERY_MS } from './sdk-server.ts'
import { createSender } from './send.ts'
import type { ToolHost } from './tool-host.ts'
import { createToolLists, type ListTools } from './tool-list.ts'
import type { OnError } from './tool-result.ts'
import { watchList } from './watch-list.ts'

export interface McpHttpOptions<Caller> {
  /** Off only in tests and benchmarks, to compare with the SDK alone. */
  fastPath?: boolean
  keepAliveMs?: number
  /** How often a call that takes long tells so, and how often it is looked whether a list has changed. */
  progressMs?: number
  lookMs?: number
  maxSubscriptions?: number
  /** Sent with every answer. */
  headers?: readonly (readonly [string, string])[]
  /** Keeps the record of a body that was refused unread; an answer about the hub itself is sent in place of ours. */
  onRefused?: (caller: Caller) => Promise<OwnAnswer>
  /** Told of a request that is no call of a tool. What it answers is sent in place of ours. */
  onOther?: (caller: Caller) => Promise<OwnAnswer | undefined>
  /** Looks after an answer that may stay open; `cut` ends it. Answers what is to be called when it is over. */
  watch?: (caller: Caller, cut: () => void) => () => void
  /** Told of rejected requests and faults. Never alters an answer. */
  onError?: OnError
}

/** What the host answers by itself, outside the protocol. */
interface OwnAnswer {
  readonly status: number
  readonly text: string
  readonly retry_after_seconds?: number | undefined
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
  // Calls that may ask or tell the client something meanwhile are the SDK's.
  const isPlain = !(host.resources || host.completions || host.logs)
  const findFast = options.fastPath === false || !isPlain ? () => undefined : createFastRequests()
  const answerFast = createFastAnswer(host, lists, onError)
  const keepAliveMs = options.keepAliveMs ?? KEEP_ALIVE_MS
  const answered = { fast: 0, sdk: 0, refused: 0 }
  const { headers = [], progressMs = PROGRESS_EVERY_MS } = options
  const send = createSender(headers.flat())

  async function sendFast(request: FastRequest, res: ServerResponse, caller: Caller): Promise<void> {
    const stops = request.streams ? [send.startKeepAlive(res, keepAliveMs)] : []
    const signal = abortWhenClosed(res)
    const telling =
      request.streams && request.progressToken !== undefined
        ? send.startProgress(res, progressMs, request.progressToken)
        : undefined
    if (telling) stops.push(telling.stop)
    const message = await answerFast(request, caller, { signal, ...(telling && { progress: telling.tell }) })
    for (const stop of stops) stop()
    if (res.destroyed) return
    // A client of 2026 gets one document, unless the answer took so long that a stream was begun.
    if (request.era === 'legacy' || res.headersSent) send.event(res, message)
    else send.json(res, 200, message)
  }

  function sendOwn(res: ServerResponse, { status, text, retry_after_seconds }: OwnAnswer): void {
    if (retry_after_seconds) res.setHeader('retry-after', String(retry_after_seconds))
    send.json(res, status, text)
  }

  return {
    answered,
    close: sdk.close,
    async handle(req, res, bodyText, caller) {
      const envelope = req.method === 'POST' ? readEnvelope(bodyText) : { body: null }
      if ('refused' in envelope) {
        answered.refused++
        const kept = await options.onRefused?.(caller)
        if (kept && isAboutTheHub(kept)) return sendOwn(res, kept)
        return send.json(res, 400, renderRefusal(envelope.refused))
      }
      const isCall = isToolCall(envelope.body) || runsPrompt(host, caller, envelope.body)
      const own = isCall ? undefined : await options.onOther?.(caller)
      if (own) return sendOwn(res, own)
      const request = findFast(req.headers, envelope.body)
      answered[request ? 'fast' : 'sdk']++
      if (request) return sendFast(request, res, caller)
      // A call is looked after where it is carried out, and then its caller hears why.
      const unwatch = isCall ? undefined : options.watch?.(caller, () => res.destroy())
      if (unwatch) res.once('close', unwatch)
      for (const [name, value] of headers) res.setHeader(name, value)
      return sdk.handle(req, res, envelope.body, caller)
    },
  }
}

function isToolCall(body: unknown): boolean {
  return (body as { method?: unknown } | null)?.method === 'tools/call'
}

/** Whether a request for prompts becomes a call of an operation, which is counted and looked after there. */
function runsPrompt<Caller>(host: ToolHost<Caller>, caller: Caller, body: unknown): boolean {
  if (!isPromptRequest(body)) return false
  return promptsFor(host, caller)?.isRecorded?.(caller, body.method) ?? false
}

function createSdkHandler<Caller>(
  host: ToolHost<Caller>,
  lists: ListTools,
  {
    keepAliveMs = KEEP_ALIVE_MS,
    maxSubscriptions = MAX_SUBSCRIPTIONS,
    lookMs,
    progressMs,
    onError,
  }: McpHttpOptions<Caller> & { onError: OnError },
) {
  const callers = new AsyncLocalStorage<Caller>()
  /** Whoever listens hears of changes of their own list alone. */
  const bus: ServerEventBus = {
    publish: () => {},
    subscribe(listener) {
      const watched = { host, caller: callers.getStore() as Caller, lists, onError, everyMs: lookMs }
      return watchList(watched, (kind) => listener({ kind: `${kind}_list_changed` }))
    },
  }
  const handler = createMcpHandler(
    ({ authInfo, era }) => {
      const caller = authInfo?.extra?.caller as Caller
      // Over HTTP a client of 2025 has no stream on which it could be told.
      return createSdkServer({ host, caller, lists, onError, progressMs, isTold: era === 'modern' })
    },
    { keepAliveMs, maxSubscriptions, onerror: onError, bus },
  )
  const serve = toNodeHandler(handler, { onerror: onError })
  return {
    close: handler.close,
    /** The SDK hands `auth` to the factory untouched; it is how the verified caller gets there. */
    handle(req: IncomingMessage, res: ServerResponse, body: unknown, caller: Caller): Promise<void> {
      const auth = { token: '', clientId: '', scopes: [], extra: { caller } }
      return callers.run(caller, () =>
        serve(Object.assign(req, { auth }) as NodeIncomingMessageLike, res, body),
      )
    },
  }
}
