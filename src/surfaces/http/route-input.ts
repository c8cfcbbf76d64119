import { coerceText } from '../../operations/coerce-input.ts'
import type { Operation } from '../../operations/define-operation.ts'
import { Refusal } from '../../operations/errors.ts'
import { pathParameters } from '../../operations/registry.ts'

/** Where an input can stand in a request. */
export interface RequestParts {
  params: unknown
  query: unknown
  body?: unknown
}

/** Gathers an operation's input from a request: path, then query or body. Names must not contradict each other. */
export function inputReader(operation: Operation): (request: RequestParts) => unknown {
  const { shape } = operation.input
  const inPath = pathParameters(operation.rest ?? '')
  const hasBody = !/^(GET|DELETE) /.test(operation.rest ?? '')
  const coerced = (key: string, value: unknown) => {
    const schema = Object.hasOwn(shape, key) ? shape[key] : undefined
    return schema && typeof value === 'string' ? coerceText(schema, value) : value
  }
  return ({ params, query, body }) => {
    const path = params as Record<string, string>
    const asked = query as Record<string, unknown>
    const input: Record<string, unknown> = Object.create(null)
    if (hasBody && Object.keys(asked).some((key) => !operation.ignores.includes(key)))
      throw new Refusal('BAD_REQUEST', 'This route takes no query.')
    if (!hasBody && !saysNothing(body)) throw new Refusal('BAD_REQUEST', 'This route takes no body.')
    const rest = hasBody ? (body === undefined ? {} : body) : asked
    if (typeof rest !== 'object' || rest === null || Array.isArray(rest))
      throw new Refusal('BAD_REQUEST', 'The body must be an object.')
    for (const [key, value] of Object.entries(rest)) input[key] = hasBody ? value : coerced(key, value)
    for (const key of inPath) {
      const value = coerced(key, path[key])
      if (key in input && input[key] !== value)
        throw new Refusal('BAD_REQUEST', `${key} differs between path and body.`)
      input[key] = value
    }
    return { ...input }
  }
}

/** Some programs send an empty object with whatever they send: nothing of it can be lost. */
function saysNothing(body: unknown): boolean {
  if (body === undefined) return true
  return typeof body === 'object' && body !== null && !Array.isArray(body) && Object.keys(body).length === 0
}
