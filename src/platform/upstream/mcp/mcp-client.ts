import { PACKAGE_VERSION } from '../../basics/package-folder.ts'
import { findToolAnswer } from '../tool-answer.ts'
import { UpstreamFailure } from '../upstream-failure.ts'

const OFFERED_VERSION = '2025-11-25'
const KNOWN_VERSIONS = new Set([OFFERED_VERSION, '2025-06-18', '2025-03-26', '2024-11-05'])

/** A list or a handshake may be this large, whatever the tools themselves may answer. */
export const MAX_SETUP_BYTES = 4_194_304

/** Asks the server one thing of the set-up: not a tool call. */
export type Ask = (method: string, params: object) => Promise<unknown>

/** What a client says first. */
export const INITIALIZE_PARAMS = {
  protocolVersion: OFFERED_VERSION,
  capabilities: {},
  clientInfo: { name: 'knowtation', version: PACKAGE_VERSION },
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

/** The answer of a tool, if it has the shape of one. */
export function requireToolResult(result: unknown): object {
  const answer = findToolAnswer(result)
  if (!answer) throw new UpstreamFailure('protocol', true)
  return answer
}
