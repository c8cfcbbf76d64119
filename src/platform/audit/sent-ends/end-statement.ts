import { createHash, type X509Certificate } from 'node:crypto'
import { z } from 'zod'
import { checkTimeStamp } from '../../time-stamps/check-time-stamp.ts'
import type { AuditKey, EndBody } from '../audit-key.ts'

const LINE_LIMIT = 65_536

const Line = z.strictObject({
  kind: z.literal('audit_end'),
  format: z.literal(1),
  key_id: z.string(),
  seq: z.int().nonnegative(),
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  at: z.string(),
  /** Ed25519, by the key that signs exports. */
  signature: z.string(),
  /** A time-stamp token (RFC 3161) over the signature's SHA-256, in base64. */
  time_stamp: z.base64().nullable(),
})

/** How far the log had come, signed, as it is sent to a place of the owner's. */
export type SentEnd = z.infer<typeof Line>

export function signEnd(key: AuditKey, { seq, hash, at }: EndBody): SentEnd {
  const signature = key.signEnd({ seq, hash, at })
  return { kind: 'audit_end', format: 1, key_id: key.key_id, seq, hash, at, signature, time_stamp: null }
}

/** What an authority stamps: whoever has the stamped signature has what was signed. */
export function stampedDigest({ signature }: SentEnd): Buffer {
  return createHash('sha256').update(signature).digest()
}

/** What a line says, or undefined where it is none of ours. */
export function readEnd(text: string): SentEnd | undefined {
  if (text.length > LINE_LIMIT) return undefined
  try {
    return Line.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

/** When the authority saw it, where it was stamped. Throws where the stamp is for something else, or of somebody else. */
export function findStampedTime(end: SentEnd, trusted: readonly X509Certificate[]): Date | undefined {
  if (end.time_stamp === null || trusted.length === 0) return undefined
  return checkTimeStamp(Buffer.from(end.time_stamp, 'base64'), stampedDigest(end), trusted).at
}
