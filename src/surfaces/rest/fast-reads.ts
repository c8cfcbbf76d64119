import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Operation } from '../../operations/define-operation.ts'
import type { Hub } from '../../operations/hub.ts'
import type { Registry } from '../../operations/registry.ts'
import { runOperation } from '../../operations/run-operation.ts'
import type { Authenticate } from '../../platform/identity/authenticate.ts'
import { identify } from './identify.ts'
import { answerHeaders, callOf, readCall } from './operation-call.ts'
import { inputReader } from './route-input.ts'
import { SECURITY_HEADERS } from './security-headers.ts'

/** Takes a request when it is a plain read, and says whether it did. */
export type FastReads = (request: IncomingMessage, response: ServerResponse) => boolean

/** Ids and names as they are, with nothing to decode and nothing to doubt. */
const PLAIN_TARGET =
  /^(\/[A-Za-z0-9_-]+(?:\/[A-Za-z0-9_-]+)*)(?:\?([a-z_]+=[A-Za-z0-9_.-]*(?:&[a-z_]+=[A-Za-z0-9_.-]*)*))?$/

interface Route {
  readonly operation: Operation
  readonly segments: readonly string[]
  readonly readInput: ReturnType<typeof inputReader>
}

/**
 * Answers plain reads straight on the server, by the same identification and the same pipeline as any
 * route. The framework's own work on a request would cost as much as all of ours, and reads are nearly all
 * of the traffic. Whatever is not plain is left to the framework, which answers just the same.
 */
export function fastReads(hub: Hub, registry: Registry, authenticate: Authenticate): FastReads {
  const findRoute = routeFinder(registry)
  return (request, response) => {
    const target = request.method === 'GET' && !hasBody(request) ? PLAIN_TARGET.exec(request.url ?? '') : null
    const query = target && readQuery(target[2])
    const route = query && findRoute((target[1] as string).split('/'))
    if (!route) return false
    void answer(hub, authenticate, route, query, request, response).catch((error: Error) => {
      hub.log.error({ fault: error.name }, 'request failed')
      response.destroy()
    })
    return true
  }
}

function hasBody({ headers }: IncomingMessage): boolean {
  return (
    headers['content-length'] !== undefined ||
    headers['transfer-encoding'] !== undefined ||
    headers.expect !== undefined
  )
}

/** The query by name; nothing when a name is repeated. */
function readQuery(text: string | undefined): Record<string, string> | undefined {
  const query: Record<string, string> = Object.create(null)
  if (text === undefined) return query
  for (const pair of text.split('&')) {
    const [name = '', value = ''] = pair.split('=')
    if (Object.hasOwn(query, name)) return undefined
    query[name] = value
  }
  return query
}

type Found = Route & { readonly params: Record<string, string> }

function routeFinder(registry: Registry): (segments: readonly string[]) => Found | undefined {
  const routes = [...registry.values()].flatMap((operation) => {
    const path = /^GET (.*)$/.exec(operation.rest ?? '')?.[1]
    return path ? [{ operation, segments: path.split('/'), readInput: inputReader(operation) }] : []
  })
  // A route with its own word in a place goes before one that takes any.
  const ordered = routes.toSorted((a, b) => variables(a.segments) - variables(b.segments))
  const byLength = Map.groupBy(ordered, ({ segments }) => segments.length)
  return (segments) => {
    for (const route of byLength.get(segments.length) ?? []) {
      const params = matched(route.segments, segments)
      if (params) return { ...route, params }
    }
    return undefined
  }
}

function variables(segments: readonly string[]): number {
  return segments.filter((segment) => segment.startsWith('{')).length
}

function matched(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | undefined {
  const params: Record<string, string> = {}
  for (const [at, part] of pattern.entries()) {
    const segment = segments[at] as string
    if (part.startsWith('{')) params[part.slice(1, -1)] = segment
    else if (part !== segment) return undefined
  }
  return params
}

async function answer(
  hub: Hub,
  authenticate: Authenticate,
  { operation, readInput, params }: Found,
  query: Record<string, string>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const identity = await identify(hub, authenticate, request)
  const { refused, caller } = identity
  const { headers } = request
  const call =
    refused || caller.kind === 'anonymous'
      ? callOf(operation, identity, headers, undefined, refused)
      : readCall(operation, identity, headers, () => readInput({ params, query }))
  const result = await runOperation(hub, call)
  const length = String(Buffer.byteLength(result.text))
  response.writeHead(result.status, [
    ...SECURITY_LIST,
    ...answerHeaders(result).flat(),
    'content-length',
    length,
  ])
  response.end(result.text)
}

const SECURITY_LIST = SECURITY_HEADERS.flat()
