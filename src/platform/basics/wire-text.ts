import type { Writable } from 'node:stream'

/** A text as it goes over the wire, and how many bytes that takes. */
export interface WireText {
  readonly body: string | Buffer
  readonly bytes: number
}

/**
 * What is all ASCII is the same byte for byte and cheapest to send as the text it is. Anything else is turned
 * into bytes here, once, and not anew with the head of each answer that it is sent in.
 */
export function wireText(text: string): WireText {
  const bytes = Buffer.byteLength(text)
  return { body: bytes === text.length ? text : Buffer.from(text), bytes }
}

/** Sends it as the last of an answer. */
export function endWith(response: Writable, { body }: WireText): void {
  if (typeof body === 'string') response.end(body, 'latin1')
  else response.end(body)
}
