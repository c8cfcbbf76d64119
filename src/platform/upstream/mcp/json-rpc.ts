/** A JSON-RPC message as it matters to a client that only calls. */
export type RpcMessage =
  | { kind: 'answer'; id: number; result: unknown }
  | { kind: 'fault'; id: number; code: number }
  | { kind: 'request'; id: string | number; method: string }
  | Notice

/** What is said and wants no answer. */
export interface Notice {
  readonly kind: 'notice'
  readonly method: string
  readonly params: unknown
}

const METHOD_NOT_FOUND = -32601

/** Reads one message, or nothing from a text that is none. */
export function findMessage(text: string): RpcMessage | undefined {
  try {
    return messageOf(JSON.parse(text))
  } catch {
    return undefined
  }
}

function messageOf(value: unknown): RpcMessage | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { id, method, params, result, error } = value as Record<string, unknown>
  if (typeof method === 'string') {
    return typeof id === 'string' || typeof id === 'number'
      ? { kind: 'request', id, method }
      : { kind: 'notice', method, params }
  }
  if (typeof id !== 'number') return undefined
  if (result !== undefined) return { kind: 'answer', id, result }
  return error === undefined ? undefined : { kind: 'fault', id, code: codeOf(error) }
}

function codeOf(error: unknown): number {
  const { code } = Object(error) as { code?: unknown }
  return typeof code === 'number' ? code : 0
}

export function renderRequest(id: number, method: string, params: unknown): string {
  return `{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${JSON.stringify(params)}}`
}

export function renderNotice(method: string, params?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', method, params })
}

/** The code of a refusal, whoever it is addressed to: a refused request may have been too broken to have an id. */
export function findFaultCode(text: string): number | undefined {
  try {
    const { error } = Object(JSON.parse(text)) as { error?: unknown }
    return error === undefined ? undefined : codeOf(error)
  } catch {
    return undefined
  }
}

/** The hub serves nothing to its providers: a ping is answered, anything else does not exist here. */
export function renderReply(request: { id: string | number; method: string }): string {
  const answer =
    request.method === 'ping'
      ? { result: {} }
      : { error: { code: METHOD_NOT_FOUND, message: 'Method not found' } }
  return JSON.stringify({ jsonrpc: '2.0', id: request.id, ...answer })
}
