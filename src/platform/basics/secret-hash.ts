import { hash, timingSafeEqual } from 'node:crypto'

/** What is stored of a secret. Our secrets carry 256 random bits, so a plain fast hash is enough. */
export function hashSecret(secret: string): string {
  return hash('sha256', secret)
}

/** Compares a presented secret with a stored hash in time that does not depend on either. */
export function isSecret(presented: string, storedHash: string): boolean {
  const given = hash('sha256', presented, 'buffer')
  const stored = Buffer.from(storedHash, 'hex')
  return given.length === stored.length && timingSafeEqual(given, stored)
}
