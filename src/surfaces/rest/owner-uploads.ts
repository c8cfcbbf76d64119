import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Operation } from '../../operations/define-operation.ts'
import { Refusal } from '../../operations/errors.ts'
import type { Hub } from '../../operations/hub.ts'
import { type Fields, faultOf, runForm } from './owner-forms.ts'
import { showSignIn } from './owner-pages.ts'

/** A file of the largest size that an intent takes, and the fields beside it. */
const UPLOAD_LIMIT_BYTES = 6 * 1_048_576
const PARTS_LIMIT = 64
/** Stands for a file that is no text, so that it is refused by what it was meant for, and told on its page. */
const NO_TEXT = '\0'

/**
 * Takes forms with files in them; a file counts as its text. Only the owner has such a form: what anybody else sends
 * as one, a page of another site included, is not taken apart and is refused as a form without fields.
 */
export function addUploadReader(app: FastifyInstance): void {
  app.addContentTypeParser(
    /^multipart\/form-data/,
    { parseAs: 'buffer', bodyLimit: UPLOAD_LIMIT_BYTES },
    async ({ identity, headers }: FastifyRequest, body: string | Buffer): Promise<Fields> =>
      identity.caller.kind === 'owner_session'
        ? readParts(body as Buffer, headers['content-type'] ?? '')
        : {},
  )
}

async function readParts(body: Buffer, type: string): Promise<Fields> {
  const headers = { 'content-type': type }
  const form = await new Response(new Uint8Array(body), { headers }).formData().catch(() => unreadable())
  const parts = [...form]
  if (parts.length > PARTS_LIMIT || new Set(parts.map(([name]) => name)).size < parts.length)
    throw new Refusal('BAD_REQUEST', 'A field of the form is repeated, or there are too many.')
  const read = parts.map(async ([name, part]) => [name, await textOf(part)] as const)
  return Object.fromEntries(await Promise.all(read))
}

async function textOf(part: string | Blob): Promise<string> {
  if (typeof part === 'string') return part
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(await part.arrayBuffer())
  } catch {
    return NO_TEXT
  }
}

function unreadable(): never {
  throw new Refusal('BAD_REQUEST', 'The form cannot be read.')
}

/** Sends whoever is not signed in away before a large body is taken in. That they came is on record. */
export function forOwner(hub: Hub, operation: Operation) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply | undefined> => {
    if (request.identity.caller.kind === 'owner_session') return undefined
    const answer = await runForm(hub, request, reply, operation, undefined)
    return showSignIn(hub, request, reply, answer.status, faultOf(answer))
  }
}
