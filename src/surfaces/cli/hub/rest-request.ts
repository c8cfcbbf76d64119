import type { Operation } from '../../../operations/define-operation.ts'
import { pathParameters } from '../../../operations/registry.ts'
import { CommandFailure } from '../cli-errors.ts'

export interface RestRequest {
  readonly method: string
  /** Path and query, to be put behind the hub's address. */
  readonly path: string
  readonly body: string | undefined
}

/** The request that an operation's REST binding makes of an input. */
export function restRequest(operation: Operation, input: Record<string, unknown>): RestRequest {
  if (!operation.rest) {
    throw new CommandFailure(
      'NOT_FOUND',
      'A running hub does not offer this.',
      'Use --home in place of --url.',
    )
  }
  const [method, pattern] = operation.rest.split(' ') as [string, string]
  const inPath = pathParameters(pattern)
  const path = pattern.replace(/\{(\w+)\}/g, (_, key: string) => encodeURIComponent(String(input[key])))
  const rest = Object.entries(input).filter(([key]) => !inPath.includes(key))
  if (method !== 'GET' && method !== 'DELETE') {
    return { method, path, body: JSON.stringify(Object.fromEntries(rest)) }
  }
  const query = new URLSearchParams(Object.fromEntries(rest.map(([key, value]) => [key, queryText(value)])))
  return { method, path: rest.length > 0 ? `${path}?${query}` : path, body: undefined }
}

function queryText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value)
}
