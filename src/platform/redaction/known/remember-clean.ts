import { hash } from 'node:crypto'
import { boundedCache } from '../../basics/cache.ts'

/** A shorter text is looked through in hardly more time than it takes to recognise it. */
const WORTH_CHARS = 1_024
const KEPT_LIMIT = 1_024

/** What is known of a text; whoever has looked through it says so. */
export interface Seen {
  is_clean: boolean
}

/** Nothing is known of any text. */
export function rememberNothing(): Seen {
  return { is_clean: false }
}

/**
 * Recognises long texts that were looked through lately, such as a file that is read again. Digests are kept, never a
 * text.
 */
export function rememberClean(): (text: string) => Seen {
  const lately = boundedCache<Seen>(KEPT_LIMIT, rememberNothing)
  return (text) => (text.length < WORTH_CHARS ? rememberNothing() : lately(hash('sha256', text, 'base64')))
}
