import type { IncomingHttpHeaders } from 'node:http'
import { traceIdOf } from '../../operations/call.ts'
import type { Operation, Presented } from '../../operations/define-operation.ts'
import { Refusal } from '../../operations/errors.ts'
import type { Answer, Call } from '../../operations/run-operation.ts'
import { mcpDoor } from '../mcp/mcp-door.ts'
import type { Identity } from './identify.ts'

/** The call that a request means. */
export function callOf(
  operation: Operation,
  { caller, hosted, origin, address, stillCounts }: Identity,
  headers: IncomingHttpHeaders,
  input: unknown,
  refused: Refusal | undefined,
): Call {
  return {
    operation,
    surface: operation.rest === undefined ? 'mcp' : 'rest',
    caller,
    address,
    vault: vaultOf(headers),
    input,
    presented: presentedBy(headers),
    hosted,
    origin,
    stillCounts,
    patience_seconds: patienceOf(headers),
    traceparent: traceparentOf(headers),
    ...(refused && { refused }),
  }
}

/** The same, with the input read; or with why it cannot be, which the pipeline tells in its turn. */
export function readCall(
  operation: Operation,
  identity: Identity,
  headers: IncomingHttpHeaders,
  readInput: () => unknown,
): Call {
  try {
    return callOf(operation, identity, headers, readInput(), undefined)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return { ...callOf(operation, identity, headers, undefined, undefined), unread: error }
  }
}

/** The hub's own address as the request names it; arrival has checked the name. */
export function originOf(hosted: boolean, { host = '127.0.0.1' }: IncomingHttpHeaders): string {
  return `${hosted ? 'https' : 'http'}://${host.toLowerCase()}`
}

/** The vault that a request names. */
export function vaultOf(headers: IncomingHttpHeaders): string | undefined {
  const vault = headers['x-vault-id']
  return Array.isArray(vault) ? vault.join() : vault
}

/** The trace that a caller says it belongs to (W3C Trace Context). */
export function traceparentOf({ traceparent }: IncomingHttpHeaders): string | undefined {
  return typeof traceparent === 'string' ? traceparent : undefined
}

const WAIT = /(?:^|[,;]\s*)wait=(\d{1,4})(?=\s*(?:[,;]|$))/i

/** How long a caller would wait for an answer (RFC 7240). */
export function patienceOf({ prefer }: IncomingHttpHeaders): number | undefined {
  if (prefer === undefined) return undefined
  const seconds = WAIT.exec(String(prefer))?.[1]
  return seconds === undefined ? undefined : Number(seconds)
}

const NOTHING: Presented = {}

/** The grant headers. A bearer anywhere else (body, query, path) is never looked at. */
export function presentedBy(headers: IncomingHttpHeaders): Presented {
  const bearer = headers['x-flow-external-bearer']
  const grant_id = headers['x-flow-grant-id']
  if (bearer === undefined && grant_id === undefined) return NOTHING
  return {
    ...(bearer !== undefined && { external_bearer: String(bearer) }),
    ...(grant_id !== undefined && { grant_id: String(grant_id) }),
  }
}

/** Where the metadata of RFC 9728 lies. */
export const RESOURCE_METADATA = '/.well-known/oauth-protected-resource'

/** Where that of `/mcp` lies. */
export const MCP_METADATA = `${RESOURCE_METADATA}/mcp`

/** How a caller without a good credential gets one: on the owner's surface and at MCP there is metadata that says it. */
export function challengeOf(operation: Operation | undefined, origin: string, pinned = false): string {
  const plain = 'Bearer realm="knowtation"'
  // Under a hosted name nobody can sign in.
  if (operation === mcpDoor && !pinned)
    return `${plain}, resource_metadata="${origin}${MCP_METADATA}", scope="mcp"`
  return operation?.contract?.forStrangers
    ? `${plain}, resource_metadata="${origin}${RESOURCE_METADATA}"`
    : plain
}

/** How a caller and the hub's records come together again. */
export function requestHeaders(request_id: string): [string, string][] {
  return [
    ['request-id', request_id],
    ['pdpp-reference-trace-id', traceIdOf(request_id)],
  ]
}

/** The headers of an answer that depend on it. */
export function answerHeaders(
  { status, retry_after_seconds, request_id }: Answer,
  challenge: string,
): [string, string][] {
  const headers: [string, string][] = []
  if (status === 401) headers.push(['www-authenticate', challenge])
  if (retry_after_seconds) headers.push(['retry-after', String(retry_after_seconds)])
  if (request_id) headers.push(...requestHeaders(request_id))
  if (status !== 204) headers.push(['content-type', 'application/json; charset=utf-8'])
  return headers
}
