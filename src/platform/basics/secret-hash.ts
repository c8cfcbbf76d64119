import { hash, timingSafeEqual } from 'node:crypto'
import { onceATurn } from './once-a-turn.ts'

/** What is stored of a secret. Our secrets carry 256 random bits, so a plain fast hash is enough. */
export function hashSecret(secret: string): string {
  return digestOf(secret).toString('hex')
}

/** One call asks for the digest of its bearer several times. It is not kept for longer than it runs. */
const digestOf = onceATurn((secret) => hash('sha256', secret, 'buffer'))

/** Compares a presented secret with a stored hash in time that does not depend on either. */
export function isSecret(presented: string, storedHash: string): boolean {
  const given = digestOf(presented)
  const stored = Buffer.from(storedHash, 'hex')
  return given.length === stored.length && timingSafeEqual(given, stored)
}
