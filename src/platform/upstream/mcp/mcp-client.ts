import { PACKAGE_VERSION } from '../../basics/package-folder.ts'
import { findToolAnswer } from '../tool-answer.ts'
import { UpstreamFailure } from '../upstream-failure.ts'

const OFFERED_VERSION = '2025-11-25'
const KNOWN_VERSIONS = new Set([OFFERED_VERSION, '2025-06-18', '2025-03-26', '2024-11-05'])
/** From this version on nobody is greeted: each request says for itself who asks and in which version. */
export const UNGREETED_VERSION = '2026-07-28'
/** The request's version is none that the server speaks. */
export const VERSION_NOT_SPOKEN = -32_022
/** Headers of the request say something else than its body. */
export const HEADERS_DIFFER = -32_020

/** A list or a handshake may be this large, whatever the tools themselves may answer. */
export const MAX_SETUP_BYTES = 4_194_304

/** Asks the server one thing of the set-up: not a tool call. */
export type Ask = (method: string, params: object) => Promise<unknown>

/** How a server is spoken to: after a greeting, or with each request standing for itself. */
export type Manner = 'greeted' | 'ungreeted'

/** The hub offers servers nothing: nobody is there to answer their questions. */
const CAPABILITIES = {}
const CLIENT = { name: 'knowtation', version: PACKAGE_VERSION }

/** What a client says first to a server that wants to be greeted. */
export const INITIALIZE_PARAMS = {
  protocolVersion: OFFERED_VERSION,
  capabilities: CAPABILITIES,
  clientInfo: CLIENT,
}

const ABOUT_US = {
  'io.modelcontextprotocol/protocolVersion': UNGREETED_VERSION,
  'io.modelcontextprotocol/clientInfo': CLIENT,
  'io.modelcontextprotocol/clientCapabilities': CAPABILITIES,
}

/** A request's parameters as a server wants them. */
export function paramsFor(manner: Manner, params: object): object {
  if (manner === 'greeted') return params
  const { _meta } = params as { _meta?: object }
  return { ...params, _meta: { ..._meta, ...ABOUT_US } }
}

/** Whether a server's account of itself says that it can be asked without a greeting. */
export function canGoUngreeted(discovered: unknown): boolean {
  const { supportedVersions } = Object(discovered) as { supportedVersions?: unknown }
  return Array.isArray(supportedVersions) && supportedVersions.includes(UNGREETED_VERSION)
}

/** What a call of a tool sends. */
export function callParams(name: string, payload: object, traceparent: string | undefined): object {
  return { name, arguments: payload, ...(traceparent !== undefined && { _meta: { traceparent } }) }
}

/** The version the server chose; a failure if the hub does not speak it. */
export function requireVersion(result: unknown): string {
  const version = (Object(result) as { protocolVersion?: unknown }).protocolVersion
  if (typeof version !== 'string' || !KNOWN_VERSIONS.has(version))
    throw new UpstreamFailure('protocol', false)
  return version
}

/** Whether the server says of itself, greeted or not, that it tells when its tools change. */
export function tellsOfChanges(itself: unknown): boolean {
  const { capabilities } = Object(itself) as { capabilities?: { tools?: { listChanged?: unknown } } }
  return capabilities?.tools?.listChanged === true
}

/** What a server is asked that is to tell of changes without having been greeted. */
export const LISTEN = {
  method: 'subscriptions/listen',
  params: { notifications: { toolsListChanged: true } },
} as const

/** The answer of a tool, if it has the shape of one. */
export function requireToolResult(result: unknown): object {
  const answer = findToolAnswer(result)
  if (!answer) throw new UpstreamFailure('protocol', true)
  return answer
}
