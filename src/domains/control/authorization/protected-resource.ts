import { z } from 'zod'
import { isSafeAddress } from '../connections/oauth-provider.ts'
import { type SafeFetch, type SourceAnswer, SourceFault } from '../connectors/connector.ts'

const ANSWER_LIMIT_BYTES = 262_144
const WELL_KNOWN = '/.well-known/oauth-protected-resource'

const Metadata = z.object({
  resource: z.string().max(4_096),
  authorization_servers: z.array(z.string().max(4_096)).max(20).optional(),
  scopes_supported: z.array(z.string().max(200)).max(100).optional(),
})
type Metadata = z.infer<typeof Metadata>

/** Who gives tokens for a resource, what it is called there, and which scope it asks for. */
export interface Guard {
  readonly issuer: string
  readonly resource: string
  readonly scope: string
}

/** What a client of MCP says first. Without a credential it is refused, and the refusal says where to go. */
const GREETING = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: {
    protocolVersion: '2025-11-25',
    capabilities: {},
    clientInfo: { name: 'knowtation', version: '1' },
  },
})

/**
 * Finds out who guards a resource (RFC 9728): by the pointer in its refusal, else by the well-known places. One that
 * has no such metadata is taken for its own guard, as servers before 2025-06-18 are. An issuer that the owner named has
 * to be one that the resource names.
 */
export async function findGuard(fetch: SafeFetch, address: string, wanted: string): Promise<Guard> {
  const url = requireSafe(address, 'The server needs an https address.')
  const challenge = challengeIn(await greet(fetch, url))
  const found = await findMetadata(fetch, url, challenge.resource_metadata)
  if (!found) return { issuer: wanted || url.origin, resource: address, scope: challenge.scope ?? '' }
  checkCovers(found, url)
  const { authorization_servers: named = [url.origin], scopes_supported = [] } = found
  const issuer = wanted === '' ? named[0] : named.find((one) => isSameAddress(one, wanted))
  if (issuer === undefined)
    throw new SourceFault('refused', 'The server does not name that provider as its own.')
  return { issuer, resource: found.resource, scope: challenge.scope ?? scopes_supported.join(' ') }
}

function greet(fetch: SafeFetch, url: URL): Promise<SourceAnswer> {
  return fetch(url.href, {
    method: 'POST',
    headers: { accept: 'application/json, text/event-stream', 'content-type': 'application/json' },
    body: GREETING,
    max_bytes: ANSWER_LIMIT_BYTES,
  })
}

/** What the refusal of a request without a token says. */
function challengeIn({ status, headers }: SourceAnswer): { resource_metadata?: string; scope?: string } {
  const text = headers.get('www-authenticate') ?? ''
  if ((status !== 401 && status !== 403) || !/^bearer\b/i.test(text)) return {}
  const [resource_metadata, scope] = ['resource_metadata', 'scope'].map(
    (name) => new RegExp(`[\\s,]${name}="([^"]*)"`, 'i').exec(text)?.[1],
  )
  return { ...(resource_metadata && { resource_metadata }), ...(scope && { scope }) }
}

async function findMetadata(
  fetch: SafeFetch,
  url: URL,
  pointer: string | undefined,
): Promise<Metadata | undefined> {
  const path = url.pathname === '/' ? '' : url.pathname
  const known = [`${url.origin}${WELL_KNOWN}${path}`, `${url.origin}${WELL_KNOWN}`]
  const places = pointer === undefined ? [...new Set(known)] : [pointer]
  for (const place of places) {
    const at = requireSafe(place, 'The server points to metadata at an address that is not https.')
    const answer = await fetch(at.href, {
      headers: { accept: 'application/json' },
      max_bytes: ANSWER_LIMIT_BYTES,
    })
    if (answer.status === 200) return readMetadata(answer)
    if (pointer !== undefined) throw unreadable()
  }
  return undefined
}

function readMetadata({ body }: SourceAnswer): Metadata {
  try {
    return Metadata.parse(JSON.parse(body.toString('utf8')))
  } catch {
    throw unreadable()
  }
}

function unreadable(): SourceFault {
  return new SourceFault('bad_answer', 'The metadata of the server cannot be read.')
}

/** Metadata of another resource would get us tokens for that one, and send them to this one. */
function checkCovers({ resource }: Metadata, url: URL): void {
  if (!covers(resource, url.href))
    throw new SourceFault('refused', 'The metadata of the server is that of another one.')
}

/** Whether a token for a resource may go to an address: the same origin, and a path that begins with its own. */
export function covers(resource: string, address: string): boolean {
  const [own, asked] = [URL.parse(resource), URL.parse(address)]
  if (!own || !asked || own.origin !== asked.origin) return false
  const folder = own.pathname.endsWith('/') ? own.pathname : `${own.pathname}/`
  return asked.pathname === own.pathname || `${asked.pathname}/`.startsWith(folder)
}

function isSameAddress(one: string, other: string): boolean {
  return URL.parse(one)?.href === URL.parse(other)?.href
}

function requireSafe(address: string, otherwise: string): URL {
  const url = URL.parse(address)
  if (!url || !isSafeAddress(url)) throw new SourceFault('refused', otherwise)
  return url
}
