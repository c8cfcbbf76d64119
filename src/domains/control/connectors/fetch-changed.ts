import { type JsonObject, type Source, type SourceAnswer, SourceFault } from './connector.ts'
import { findText } from './page-changes.ts'
import { checkAnswer } from './source-faults.ts'

const MAX_VALIDATOR_CHARS = 500
const PROLOG_BYTES = 200

/** A document that has changed since the checkpoint, with the marks to ask by next time. */
export interface ChangedDocument {
  readonly text: string
  readonly url: string
  readonly bytes: number
  readonly validators: JsonObject
}

/** Asks for a document; undefined where the source says that it is still as it was. */
export async function fetchChanged(source: Source, max_bytes: number): Promise<ChangedDocument | undefined> {
  const etag = findText(source.checkpoint, 'etag')
  const modified = findText(source.checkpoint, 'last_modified')
  const headers = {
    ...(etag !== undefined && { 'if-none-match': etag }),
    ...(modified !== undefined && { 'if-modified-since': modified }),
  }
  const answer = await source.fetch(await requireAddress(source), { headers, max_bytes })
  if (answer.status === 304) return undefined
  checkAnswer(answer)
  return {
    text: decodeText(answer),
    // What lies beside a secret address must not carry a part of it along.
    url: source.settings.url ? answer.url : new URL('/', answer.url).href,
    bytes: answer.body.length,
    validators: validatorsOf(answer),
  }
}

/** The address of a source: open, or itself the credential. */
async function requireAddress(source: Source): Promise<string> {
  const url = source.settings.url || (await findSecret(source, 'secret_url'))
  if (url) return url
  throw new SourceFault('needs_attention', 'The connection has no address.')
}

/** A credential that a connection may have. */
export async function findSecret(source: Source, name: string): Promise<string | undefined> {
  try {
    return (await source.secret(name)) || undefined
  } catch (error) {
    if (error instanceof SourceFault && error.code === 'needs_attention') return undefined
    throw error
  }
}

function validatorsOf({ headers }: SourceAnswer): JsonObject {
  const etag = headers.get('etag')
  const last_modified = headers.get('last-modified')
  return {
    ...(isShort(etag) && { etag }),
    ...(isShort(last_modified) && { last_modified }),
  }
}

function isShort(text: string | null): text is string {
  return text !== null && text !== '' && text.length <= MAX_VALIDATOR_CHARS
}

/** The text of a document in the encoding that its headers or its first line name. */
function decodeText({ headers, body }: SourceAnswer): string {
  const named = /charset\s{0,9}=\s{0,9}"?([\w.:-]{1,40})/i.exec(headers.get('content-type') ?? '')?.[1]
  const prolog = body.subarray(0, PROLOG_BYTES).toString('latin1')
  const encoding = named ?? /^<\?xml[^>]{1,150}encoding=["']([\w.:-]{1,40})["']/.exec(prolog)?.[1] ?? 'utf-8'
  try {
    return new TextDecoder(encoding).decode(body)
  } catch {
    return body.toString('utf8')
  }
}
