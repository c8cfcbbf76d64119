import { isUtf8 } from 'node:buffer'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { Refusal } from '../../operations/errors.ts'
import { parseExactJson } from '../../platform/basics/exact-json.ts'
import { MAX_JSON_VALUES, StrictJsonError } from '../../platform/basics/strict-json.ts'
import { mcpDoor } from '../mcp/mcp-door.ts'

const CHARSET = /;\s*charset\s*=\s*"?([^";\s]*)/i

/** Takes JSON bodies and no others. What MCP receives stays text: its own surface reads it. */
export function addBodyReader(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      const text = readText(request, body as Buffer)
      const isMcp = request.routeOptions.config.operation === mcpDoor
      done(null, isMcp ? text : text === '' ? undefined : parseExactJson(text))
    } catch (error) {
      done(error instanceof StrictJsonError ? new Refusal('BAD_REQUEST', jsonFault(error)) : (error as Error))
    }
  })
}

export const NO_TEXT = new Refusal('BAD_REQUEST', 'The body is not valid UTF-8.')

/** JSON travels as plain UTF-8. Guessing at anything else would let two readers see two documents. */
function readText({ headers }: FastifyRequest, body: Buffer): string {
  const charset = CHARSET.exec(headers['content-type'] ?? '')?.[1] ?? 'utf-8'
  const encoding = headers['content-encoding'] ?? 'identity'
  if (!/^utf-?8$/i.test(charset) || encoding !== 'identity') throw new Refusal('UNSUPPORTED_MEDIA_TYPE')
  if (!isUtf8(body)) throw NO_TEXT
  return body.toString('utf8')
}

function jsonFault({ reason }: StrictJsonError): string {
  if (reason === 'duplicate_key') return 'The body repeats a key.'
  if (reason === 'number_too_large') return 'The body holds a number that is too large.'
  if (reason === 'number_changes') return 'The body holds a number that cannot be kept as it is written.'
  if (reason === 'too_many_values') return `The body holds more than ${MAX_JSON_VALUES} values.`
  return reason === 'too_deep' ? 'The body is nested too deeply.' : 'The body is not valid JSON.'
}
