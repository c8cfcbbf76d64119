import type { Writable } from 'node:stream'

/** A text as it goes over the wire, and how many bytes that takes. */
export interface WireText {
  readonly body: string | Buffer
  readonly bytes: number
}

/** Beyond this Node copies a text once more before it sends it; then bytes are cheaper. */
const TEXT_LIMIT_BYTES = 8_192

/**
 * What is all ASCII is the same byte for byte and cheapest to send as the text it is. Anything else is turned into
 * bytes here, once, and not anew with the head of each answer that it is sent in. Where it is short it becomes a text
 * again, with a sign for each byte: a text goes out in one piece with its head, bytes go out beside it.
 */
export function wireText(text: string): WireText {
  const bytes = Buffer.byteLength(text)
  if (bytes === text.length) return { body: text, bytes }
  const body = Buffer.from(text)
  return { body: bytes <= TEXT_LIMIT_BYTES ? body.toString('latin1') : body, bytes }
}

/** Sends it as the last of an answer. */
export function endWith(response: Writable, { body }: WireText): void {
  if (typeof body === 'string') response.end(body, 'latin1')
  else response.end(body)
}
