import {
  classifyInboundRequest,
  isInitializeRequest,
  LATEST_PROTOCOL_VERSION,
} from '@modelcontextprotocol/server'

export const MODERN_VERSION = '2026-07-28'

/** Whether what a client says of itself passes the SDK's own schema. */
export type Verdict = (part: Record<string, unknown>) => boolean

const MAX_VERDICTS = 256
const MAX_VERDICT_KEY_CHARS = 4096

/** A client says the same of itself in every request, so the SDK need judge it only once. */
export function rememberVerdicts(judge: Verdict): Verdict {
  const verdicts = new Map<string, boolean>()
  return (part) => {
    const key = JSON.stringify(part)
    const known = verdicts.get(key)
    if (known !== undefined) return known
    if (key.length > MAX_VERDICT_KEY_CHARS) return false
    if (verdicts.size >= MAX_VERDICTS) verdicts.clear()
    const verdict = judge(part)
    verdicts.set(key, verdict)
    return verdict
  }
}

/** The per-request `_meta` envelope of the 2026 revision. */
export function isModernEnvelope(_meta: Record<string, unknown>): boolean {
  const body = { jsonrpc: '2.0', id: 0, method: 'tools/list', params: { _meta } }
  const outcome = classifyInboundRequest({ httpMethod: 'POST', body })
  return outcome.kind === 'modern' && outcome.classification.revision === MODERN_VERSION
}

/** The capabilities and name a 2025 client opens with. */
export function isHandshake(part: Record<string, unknown>): boolean {
  const params = { protocolVersion: LATEST_PROTOCOL_VERSION, ...part }
  return isInitializeRequest({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
}
