import { hash, timingSafeEqual } from 'node:crypto'
import { keptLately } from './kept-lately.ts'
import { onceATurn } from './once-a-turn.ts'

/** What is stored of a secret. Our secrets carry 256 random bits, so a plain fast hash is enough. */
export function hashSecret(secret: string): string {
  return digestOf(secret).hex
}

/** One call asks for the digest of its bearer several times. It is not kept for longer than it runs. */
const digestOf = onceATurn((secret) => {
  const hex = hash('sha256', secret)
  return { hex, bytes: Buffer.from(hex, 'hex') }
})

/** What is stored is no secret, and few are asked for again and again. */
const storedDigest = keptLately(1_000, (storedHash) => Buffer.from(storedHash, 'hex'))

/** Compares a presented secret with a stored hash in time that does not depend on either. */
export function isSecret(presented: string, storedHash: string): boolean {
  const given = digestOf(presented).bytes
  const stored = storedDigest(storedHash)
  return given.length === stored.length && timingSafeEqual(given, stored)
}
