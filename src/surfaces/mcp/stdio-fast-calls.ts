import type { JSONRPCMessage, RequestId } from '@modelcontextprotocol/server'
import { underWay } from '../../platform/basics/under-way.ts'
import { createFastAnswer } from './fast-answer.ts'
import { type FastRequest, findPlainCall } from './fast-request.ts'
import type { ClientClaim, ToolHost } from './tool-host.ts'
import type { ListTools } from './tool-list.ts'
import type { OnError } from './tool-result.ts'

/** Answers plain tool calls of a session that the SDK has opened, as the SDK would. */
export interface StdioFastCalls {
  /** The call that a body plainly is, once the session is open. */
  find(body: unknown): FastRequest | undefined
  /** The answer's line; nothing for a call that was cancelled meanwhile. */
  answer(request: FastRequest): Promise<string | undefined>
  /** Sees what the client sends to the SDK: its opening, and what it cancels. */
  noteIncoming(message: JSONRPCMessage): void
  /** Sees what the SDK answers: from its answer to the opening on, calls may be taken. */
  noteOutgoing(message: JSONRPCMessage): void
}

/** Nothing is taken before the SDK has opened the session, and nothing but plain calls of the older revisions. */
export function createStdioFastCalls<Caller>(
  host: ToolHost<Caller>,
  caller: Caller,
  lists: ListTools,
  onError: OnError,
): StdioFastCalls {
  const answerFast = createFastAnswer(host, lists, onError)
  const running = underWay<AbortController>()
  let opening: { id: RequestId; client: ClientClaim } | undefined
  let client: ClientClaim | undefined
  return {
    find(body) {
      const call = client && findPlainCall(body)
      return call && !running.get(call.id) ? { ...call, client: client ?? {} } : undefined
    },
    async answer(request) {
      const controller = new AbortController()
      running.set(request.id, controller)
      try {
        const text = await answerFast(request, caller, controller.signal)
        return controller.signal.aborted ? undefined : text
      } finally {
        running.delete(request.id)
      }
    },
    noteIncoming(message) {
      if (!('method' in message)) return
      if (message.method === 'notifications/cancelled')
        running.get(message.params?.requestId as RequestId)?.abort()
      if (message.method === 'initialize' && 'id' in message)
        opening = { id: message.id, client: (message.params?.clientInfo ?? {}) as ClientClaim }
    },
    noteOutgoing(message) {
      if (opening && 'result' in message && message.id === opening.id) client = opening.client
    },
  }
}
