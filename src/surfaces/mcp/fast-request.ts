import type { IncomingHttpHeaders } from 'node:http'
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  classifyInboundRequest,
  isInitializeRequest,
  LATEST_PROTOCOL_VERSION,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server'
import type { ClientClaim } from './tool-host.ts'

const LEGACY_VERSIONS: ReadonlySet<string> = new Set(SUPPORTED_PROTOCOL_VERSIONS)
const RESERVED_META_PREFIX = 'io.modelcontextprotocol/'
const ENVELOPE_META_KEYS: ReadonlySet<string> = new Set([
  PROTOCOL_VERSION_META_KEY,
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
])
const REQUEST_KEYS: ReadonlySet<string> = new Set(['jsonrpc', 'id', 'method', 'params'])
const CALL_KEYS: ReadonlySet<string> = new Set(['name', 'arguments', '_meta'])
const META_ONLY: ReadonlySet<string> = new Set(['_meta'])
const INITIALIZE_KEYS: ReadonlySet<string> = new Set(['protocolVersion', 'capabilities', 'clientInfo'])

const NO_KEYS: ReadonlySet<string> = new Set()
/** What the SDK decodes before comparing: such names are left to it. */
const ENCODED_NAME_PREFIX = '=?base64?'

const MODERN_VERSION = '2026-07-28'

const MAX_VERDICTS = 256
const MAX_VERDICT_KEY_CHARS = 4096

/** A request so plainly well-formed that the SDK's answer to it is known beforehand. */
export type FastRequest = {
  id: string | number
  era: 'legacy' | 'modern'
  /** Whether it may be answered by a stream, and by what name the client wants to hear how far it is. */
  streams: boolean
  /** What a client of 2026 says that it can do. */
  capabilities?: object | undefined
  progressToken?: string | number | undefined
  traceparent?: string | undefined
} & (
  | { method: 'tools/call'; name: string; args: unknown; client: ClientClaim }
  | { method: 'tools/list' }
  | { method: 'ping' }
  | { method: 'initialize'; protocolVersion: string }
)

type Json = Record<string, unknown>
type Recognise = (headers: IncomingHttpHeaders, body: unknown) => FastRequest | undefined

/** Names a request only when every part of it is as expected; the rest is left to the SDK. */
export function createFastRequests(): Recognise {
  const isGoodEnvelope = rememberVerdicts(isModernEnvelope)
  const isGoodHandshake = rememberVerdicts(isHandshake)
  return (headers, body) => {
    if (!isPlainRequest(body) || !hasJsonBody(headers)) return undefined
    const version = headers['mcp-protocol-version']
    if (version === MODERN_VERSION) return findModern(headers, body, isGoodEnvelope)
    if (version !== undefined && !LEGACY_VERSIONS.has(version as string)) return undefined
    return acceptsBoth(headers) ? findLegacy(body, isGoodHandshake) : undefined
  }
}

interface PlainRequest {
  id: string | number
  method: string
  params?: unknown
}

function isPlainRequest(body: unknown): body is PlainRequest {
  if (!isObject(body) || body.jsonrpc !== '2.0' || typeof body.method !== 'string') return false
  return (typeof body.id === 'string' || Number.isSafeInteger(body.id)) && hasOnly(body, REQUEST_KEYS)
}

function findModern(
  headers: IncomingHttpHeaders,
  body: PlainRequest,
  isGood: Verdict,
): FastRequest | undefined {
  const { id, method, params } = body
  if (headers['mcp-method'] !== method || !isObject(params)) return undefined
  const meta = params._meta
  if (!isObject(meta) || !hasPlainMeta(meta, ENVELOPE_META_KEYS) || !isGood(envelopeOf(meta)))
    return undefined
  const capabilities = meta[CLIENT_CAPABILITIES_META_KEY] as object | undefined
  const head = { id, era: 'modern', streams: acceptsBoth(headers), capabilities } as const
  if (method === 'tools/list') return hasOnly(params, META_ONLY) ? { ...head, method } : undefined
  if (method !== 'tools/call' || headers['mcp-name'] !== params.name) return undefined
  return findCall(head, params, (meta[CLIENT_INFO_META_KEY] ?? {}) as ClientClaim)
}

function findLegacy({ id, method, params = {} }: PlainRequest, isGood: Verdict): FastRequest | undefined {
  if (!isObject(params)) return undefined
  if (method === 'initialize') return findInitialize(id, params, isGood)
  if (params._meta !== undefined && !(isObject(params._meta) && hasPlainMeta(params._meta, NO_KEYS)))
    return undefined
  const head = { id, era: 'legacy', streams: true } as const
  if (method === 'tools/call') return findCall(head, params, {})
  if (method !== 'tools/list' && method !== 'ping') return undefined
  return hasOnly(params, META_ONLY) ? { ...head, method } : undefined
}

function findCall(
  head: Pick<FastRequest, 'id' | 'era' | 'streams' | 'capabilities'>,
  params: Json,
  client: ClientClaim,
): FastRequest | undefined {
  const { name, arguments: args } = params
  if (typeof name !== 'string' || name.startsWith(ENCODED_NAME_PREFIX)) return undefined
  if ((args !== undefined && !isObject(args)) || !hasOnly(params, CALL_KEYS)) return undefined
  const { progressToken, traceparent } = (params._meta ?? {}) as Pick<
    FastRequest,
    'progressToken' | 'traceparent'
  >
  const traced = typeof traceparent === 'string' && { traceparent }
  return { ...head, method: 'tools/call', name, args, client, progressToken, ...traced }
}

function findInitialize(id: string | number, params: Json, isGood: Verdict): FastRequest | undefined {
  const asked = params.protocolVersion
  if (typeof asked !== 'string' || !hasOnly(params, INITIALIZE_KEYS)) return undefined
  if (!isGood({ capabilities: params.capabilities, clientInfo: params.clientInfo })) return undefined
  const protocolVersion = LEGACY_VERSIONS.has(asked) ? asked : LATEST_PROTOCOL_VERSION
  return { id, era: 'legacy', streams: true, method: 'initialize', protocolVersion }
}

/** Own keys and progress tokens are free; a reserved key must be one the SDK has a rule for. */
function hasPlainMeta(meta: Json, reserved: ReadonlySet<string>): boolean {
  const token = meta.progressToken
  if (token !== undefined && typeof token !== 'string' && !Number.isSafeInteger(token)) return false
  return Object.keys(meta).every((key) => !key.startsWith(RESERVED_META_PREFIX) || reserved.has(key))
}

function envelopeOf(meta: Json): Json {
  const envelope: Json = {}
  for (const key of ENVELOPE_META_KEYS) if (key in meta) envelope[key] = meta[key]
  return envelope
}

function acceptsBoth({ accept }: IncomingHttpHeaders): boolean {
  return accept !== undefined && accept.includes('application/json') && accept.includes('text/event-stream')
}

function hasJsonBody(headers: IncomingHttpHeaders): boolean {
  const type = headers['content-type']
  return type === 'application/json' || type === 'application/json; charset=utf-8'
}

function hasOnly(value: object, keys: ReadonlySet<string>): boolean {
  return Object.keys(value).every((key) => keys.has(key))
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether what a client says of itself passes the SDK's own schema. */
type Verdict = (part: Record<string, unknown>) => boolean

/** A client says the same of itself in every request, so the SDK need judge it only once. */
function rememberVerdicts(judge: Verdict): Verdict {
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
function isModernEnvelope(_meta: Record<string, unknown>): boolean {
  const body = { jsonrpc: '2.0', id: 0, method: 'tools/list', params: { _meta } }
  const outcome = classifyInboundRequest({ httpMethod: 'POST', body })
  return outcome.kind === 'modern' && outcome.classification.revision === MODERN_VERSION
}

/** The capabilities and name a 2025 client opens with. */
function isHandshake(part: Record<string, unknown>): boolean {
  const params = { protocolVersion: LATEST_PROTOCOL_VERSION, ...part }
  return isInitializeRequest({ jsonrpc: '2.0', id: 0, method: 'initialize', params })
}
