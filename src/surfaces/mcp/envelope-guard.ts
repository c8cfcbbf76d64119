import { parseExactJson } from '../../platform/basics/exact-json.ts'
import { parseStrictJson, StrictJsonError, type StrictJsonReason } from '../../platform/basics/strict-json.ts'

/** A JSON-RPC error answered before anything else looks at the body. */
export interface EnvelopeRefusal {
  code: number
  message: string
}

export type Envelope = { body: unknown } | { refused: EnvelopeRefusal }

const INVALID_REQUEST = -32600

const PARSE_REFUSALS: Record<StrictJsonReason, EnvelopeRefusal> = {
  malformed: { code: -32700, message: 'Parse error: Invalid JSON' },
  duplicate_key: { code: INVALID_REQUEST, message: 'Invalid Request: a key is repeated' },
  too_many_values: { code: INVALID_REQUEST, message: 'Invalid Request: too many values' },
  too_deep: { code: INVALID_REQUEST, message: 'Invalid Request: nested too deeply' },
  number_too_large: { code: INVALID_REQUEST, message: 'Invalid Request: a number is too large' },
  number_changes: {
    code: INVALID_REQUEST,
    message: 'Invalid Request: a number cannot be kept as it is written',
  },
}

/**
 * Reads a JSON-RPC body that every reader must understand the same way: no repeated key, and no key
 * that a case-blind reader further on could take for another one.
 */
export function readEnvelope(text: string): Envelope {
  try {
    const body = parseExactJson(text)
    const refused = findRefusal(body)
    return refused ? { refused } : { body }
  } catch (error) {
    if (error instanceof StrictJsonError) return { refused: PARSE_REFUSALS[error.reason] }
    throw error
  }
}

function findRefusal(body: unknown): EnvelopeRefusal | undefined {
  if (Array.isArray(body))
    return { code: INVALID_REQUEST, message: 'Invalid Request: batches are not served' }
  if (hasCaseVariant(body, ENVELOPE_KEYS)) return CASE_VARIANT
  const params = (body as { params?: unknown } | null)?.params
  return hasCaseVariant(params, PARAM_KEYS) ? CASE_VARIANT : undefined
}

const CASE_VARIANT = { code: INVALID_REQUEST, message: 'Invalid Request: a key is misspelt by case' }
const ENVELOPE_KEYS = new Set(['jsonrpc', 'id', 'method', 'params', 'result', 'error'])
const PARAM_KEYS = new Set(['name', 'arguments', '_meta'])

function hasCaseVariant(value: unknown, keys: ReadonlySet<string>): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.keys(value).some((key) => !keys.has(key) && keys.has(foldCase(key)))
}

/** Up and down again, because some letters (long s, dotless i) only meet theirs in upper case. */
function foldCase(key: string): string {
  return key.toUpperCase().toLowerCase()
}

/** The refusal as a JSON-RPC message. As a rule without an id: a body that was refused has none we can trust. */
export function renderRefusal({ code, message }: EnvelopeRefusal, id: string | number | null = null): string {
  const error = `{"code":${code},"message":${JSON.stringify(message)}}`
  return `{"jsonrpc":"2.0","error":${error},"id":${JSON.stringify(id)}}`
}

/** The id of a message that is refused for its length alone: whoever waits for the answer must hear of it. */
export function findId(text: string): string | number | null {
  try {
    const { id } = parseStrictJson(text) as { id?: unknown }
    return typeof id === 'string' || Number.isSafeInteger(id) ? (id as string | number) : null
  } catch {
    return null
  }
}
