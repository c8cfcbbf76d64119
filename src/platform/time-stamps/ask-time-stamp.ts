import { randomBytes, type X509Certificate } from 'node:crypto'
import { postOut } from '../basics/post-out.ts'
import { checkTimeStamp, type TimeStamp } from './check-time-stamp.ts'
import { expectParts, expectTag, readDer, TAG, writeDer, writeOid } from './der.ts'
import { TimeStampFault } from './time-stamp-fault.ts'

const SHA256 = '2.16.840.1.101.3.4.2.1'
const ANSWER_LIMIT_BYTES = 65_536

/** An authority that stamps times (RFC 3161), and by which certificates the owner knows it. */
export interface TimeStampAuthority {
  readonly url: string
  readonly trusted: readonly X509Certificate[]
}

/** Has a SHA-256 stamped, and checks the answer before it is taken for one. */
export async function askTimeStamp(
  { url, trusted }: TimeStampAuthority,
  sha256: Buffer,
  signal: AbortSignal,
): Promise<TimeStamp & { token: Buffer }> {
  const nonce = newNonce()
  const { status, body } = await postOut(url, {
    headers: { 'content-type': 'application/timestamp-query', accept: 'application/timestamp-reply' },
    body: requestFor(sha256, nonce),
    limit_bytes: ANSWER_LIMIT_BYTES,
    signal,
  })
  if (status !== 200) throw new TimeStampFault(`The time-stamp authority answered ${status}.`)
  const token = readReply(body)
  const stamp = checkTimeStamp(token, sha256, trusted)
  if (!stamp.nonce?.equals(nonce)) throw new TimeStampFault('The time stamp answers another question.')
  return { ...stamp, token }
}

/** A number above zero, as DER writes it: the first bit is its sign, and no byte is spare. */
function newNonce(): Buffer {
  const nonce = randomBytes(8)
  nonce[0] = ((nonce[0] ?? 0) & 0x3f) | 0x40
  return nonce
}

function requestFor(sha256: Buffer, nonce: Buffer): Buffer {
  const algorithm = writeDer(TAG.sequence, writeOid(SHA256), writeDer(TAG.nothing))
  return writeDer(
    TAG.sequence,
    writeDer(TAG.integer, Buffer.from([1])),
    writeDer(TAG.sequence, algorithm, writeDer(TAG.octets, sha256)),
    writeDer(TAG.integer, nonce),
    // The certificates are to come with the stamp, so that it can be checked by itself.
    writeDer(TAG.boolean, Buffer.from([0xff])),
  )
}

function readReply(bytes: Buffer): Buffer {
  try {
    const [status, token] = expectParts(readDer(bytes), TAG.sequence)
    const { content } = expectTag(expectParts(status, TAG.sequence)[0], TAG.integer)
    // 0: granted; 1: granted, with changes.
    if (content.length === 1 && (content[0] ?? 2) <= 1 && token) return token.whole
  } catch (cause) {
    throw new TimeStampFault('The answer of the time-stamp authority cannot be read.', { cause })
  }
  throw new TimeStampFault('The time-stamp authority has refused.')
}
