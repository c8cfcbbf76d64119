import { isUtf8 } from 'node:buffer'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Hub } from '../../operations/hub.ts'
import type { Authenticate } from '../../platform/identity/authenticate.ts'
import { refuseAtDoor } from '../mcp/operation-tools.ts'
import { identify } from './identify.ts'
import { isWelcomeAtMcp, mcpCallerOf, type ServeMcp } from './mcp-route.ts'
import { challengeOf } from './operation-call.ts'
import { NO_TEXT } from './read-body.ts'
import { writeAnswer } from './write-answer.ts'

/** Takes a request when it is a plain MCP call, and says whether it did; what turns out not to be is handed on. */
export type FastCalls = (request: IncomingMessage, response: ServerResponse, handOn: () => void) => boolean

const PLAIN_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i
const PLAIN_LENGTH = /^[1-9]\d{0,6}$/

/**
 * Serves plain MCP calls straight on the server, by the same identification and the same service as the
 * framework's route. Whatever is not plain, and whoever is not let in, is left to the framework.
 */
export function fastCalls(
  hub: Hub,
  authenticate: Authenticate,
  serve: ServeMcp,
  body_limit_bytes: number,
): FastCalls {
  return (request, response, handOn) => {
    if (request.url !== '/mcp' || request.method !== 'POST' || !isPlain(request, body_limit_bytes))
      return false
    void answer(request, response, handOn).catch((error: Error) => {
      hub.log.error({ fault: error.name }, 'request failed')
      response.destroy()
    })
    return true
  }

  async function answer(request: IncomingMessage, response: ServerResponse, handOn: () => void) {
    const identity = await identify(hub, authenticate, request)
    if (!isWelcomeAtMcp(identity)) return handOn()
    const body = await findBody(request)
    if (!body) return void response.destroy()
    if (isUtf8(body)) return serve(request, response, body.toString('utf8'), identity)
    const answered = await refuseAtDoor(hub, mcpCallerOf(request, identity), NO_TEXT)
    writeAnswer(response, answered, () => challengeOf(undefined, ''))
  }
}

/** Whether the body is JSON of a told and bearable length, sent as it is. */
function isPlain({ headers }: IncomingMessage, limit_bytes: number): boolean {
  const length = headers['content-length'] ?? ''
  return (
    PLAIN_LENGTH.test(length) &&
    Number(length) <= limit_bytes &&
    PLAIN_TYPE.test(headers['content-type'] ?? '') &&
    headers['content-encoding'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined
  )
}

/**
 * All of a body, which comes in one piece nearly always; nothing when the client leaves before its end, which is
 * no fault. Listening costs less than iterating.
 */
function findBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)))
    request.on('error', () => resolve(undefined))
  })
}
