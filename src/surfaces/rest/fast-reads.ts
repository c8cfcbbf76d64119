import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Operation } from '../../operations/define-operation.ts'
import { Refusal } from '../../operations/errors.ts'
import type { Hub } from '../../operations/hub.ts'
import type { Registry } from '../../operations/registry.ts'
import { runOperation } from '../../operations/run-operation.ts'
import type { Authenticate } from '../../platform/identity/authenticate.ts'
import { identify } from './identify.ts'
import { callOf, challengeOf, originOf } from './operation-call.ts'
import { inputReader } from './route-input.ts'
import { writeAnswer } from './write-answer.ts'

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
  const findRead = rememberReads(readFinder(registry))
  return (request, response) => {
    const read = request.method === 'GET' && !hasBody(request) ? findRead(request.url ?? '') : undefined
    if (!read) return false
    void answer(hub, authenticate, read, request, response).catch((error: Error) => {
      hub.log.error({ fault: error.name }, 'request failed')
      response.destroy()
    })
    return true
  }
}

/** What a target asks for: an operation with its input, or with the reason why it has none. */
interface Read {
  readonly operation: Operation
  readonly input: unknown
  readonly unread: Refusal | undefined
}

/** Targets whose meaning is kept, so that the same ones are not taken apart again and again. */
const REMEMBERED_LIMIT = 1_000
const REMEMBERED_CHARS = 256

function rememberReads(find: (target: string) => Read | undefined): (target: string) => Read | undefined {
  const known = new Map<string, Read>()
  return (target) => {
    const read = known.get(target) ?? find(target)
    if (!read || target.length > REMEMBERED_CHARS) return read
    if (known.size >= REMEMBERED_LIMIT) known.clear()
    known.set(target, read)
    return read
  }
}

function readFinder(registry: Registry): (target: string) => Read | undefined {
  const findRoute = routeFinder(registry)
  return (target) => {
    const plain = PLAIN_TARGET.exec(target)
    const query = plain && readQuery(plain[2])
    const route = query && findRoute((plain[1] as string).split('/'))
    // What may wait is left to the framework, which can tell it when to stop.
    if (!route || route.operation.waits) return undefined
    const { operation, readInput, params } = route
    try {
      return { operation, input: readInput({ params, query }), unread: undefined }
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      return { operation, input: undefined, unread: error }
    }
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
  { operation, input, unread }: Read,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const identified = identify(hub, authenticate, request)
  const identity = identified instanceof Promise ? await identified : identified
  const call = callOf(operation, identity, request.headers, input, identity.refused)
  const result = await runOperation(hub, unread ? { ...call, unread } : call)
  const challenge = () => challengeOf(operation, originOf(identity.hosted, request.headers))
  writeAnswer(response, result, challenge)
}
