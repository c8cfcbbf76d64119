import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Operation } from '../../../operations/define-operation.ts'
import { Refusal } from '../../../operations/errors.ts'
import type { Hub } from '../../../operations/hub.ts'
import { type Fields, faultOf, runForm } from './owner-forms.ts'
import { showSignIn } from './sign-in-pages.ts'

/** A file of the largest size that an intent takes, and the fields beside it. */
const UPLOAD_LIMIT_BYTES = 6 * 1_048_576
const PARTS_LIMIT = 64
/** What stands before the content of a part: its name, and that of its file. */
const PART_HEAD_LIMIT_BYTES = 4_096
const MULTIPART = /^multipart\/form-data/i
/** As browsers write it: with one boundary, so that what is counted here is what is read later. */
const WITH_BOUNDARY = /^multipart\/form-data; *boundary=("?)([\w'()+./:=?-]{1,70})\1$/i
/** Stands for a file that is no text, so that it is refused by what it was meant for, and told on its page. */
const NO_TEXT = '\0'

/**
 * Takes forms with files in them; a file counts as its text. Only the owner has such a form: what anybody else sends
 * as one, a page of another site included, stays unread and is refused as a form without fields.
 */
export function addUploadReader(app: FastifyInstance): void {
  app.addContentTypeParser(MULTIPART, async ({ identity, headers }: FastifyRequest, body: IncomingMessage) =>
    identity.caller.kind === 'owner_session'
      ? readParts(await readWhole(body), headers['content-type'] ?? '')
      : {},
  )
}

async function readWhole(body: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = Number(body.headers['content-length'] ?? 0)
  if (bytes > UPLOAD_LIMIT_BYTES) throw new Refusal('PAYLOAD_TOO_LARGE')
  bytes = 0
  // The connection stays, for the answer.
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    bytes += (chunk as Buffer).length
    if (bytes > UPLOAD_LIMIT_BYTES) throw new Refusal('PAYLOAD_TOO_LARGE')
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

async function readParts(body: Buffer, type: string): Promise<Fields> {
  checkCost(body, type)
  const headers = { 'content-type': type }
  const form = await new Response(new Uint8Array(body), { headers }).formData().catch(() => unreadable())
  const parts = [...form]
  if (parts.length > PARTS_LIMIT || new Set(parts.map(([name]) => name)).size < parts.length)
    throw new Refusal('BAD_REQUEST', 'A field of the form is repeated, or there are too many.')
  const read = parts.map(async ([name, part]) => [name, await textOf(part)] as const)
  return Object.fromEntries(await Promise.all(read))
}

/** Many parts, or long heads of them, take the reader long: they are refused before anything is built of them. */
function checkCost(body: Buffer, type: string): void {
  const delimiter = `--${WITH_BOUNDARY.exec(type)?.[2] ?? unreadable()}`
  let parts = 0
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + delimiter.length)) {
    const head = body.subarray(at, at + PART_HEAD_LIMIT_BYTES)
    // The last one ends the form.
    if (++parts > PARTS_LIMIT + 1 || (head.length === PART_HEAD_LIMIT_BYTES && !head.includes('\r\n\r\n')))
      return unreadable()
  }
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
