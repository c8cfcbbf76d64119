import { createHash, type KeyObject, verify, X509Certificate } from 'node:crypto'
import { checkIssuers } from './check-issuers.ts'
import {
  type Der,
  DerFault,
  expectParts,
  expectTag,
  partsOf,
  readDer,
  readOid,
  readTime,
  TAG,
} from './der.ts'
import { TimeStampFault } from './time-stamp-fault.ts'

const SIGNED_DATA = '1.2.840.113549.1.7.2'
const STAMP_CONTENT = '1.2.840.113549.1.9.16.1.4'
const CONTENT_TYPE = '1.2.840.113549.1.9.3'
const MESSAGE_DIGEST = '1.2.840.113549.1.9.4'
const SIGNER_BY_SHA1 = '1.2.840.113549.1.9.16.2.12'
const SIGNER_BY_HASH = '1.2.840.113549.1.9.16.2.47'
const HASHES: Readonly<Record<string, string>> = {
  '1.3.14.3.2.26': 'sha1',
  '2.16.840.1.101.3.4.2.1': 'sha256',
  '2.16.840.1.101.3.4.2.2': 'sha384',
  '2.16.840.1.101.3.4.2.3': 'sha512',
}
/** What may sign: RSA (PKCS #1 v1.5), ECDSA, Ed25519. Each has its parameters in the key and the hash alone. */
const SIGNATURES =
  /^(1\.2\.840\.113549\.1\.1\.(1|11|12|13)|1\.2\.840\.10045\.(2\.1|4\.3\.[234])|1\.3\.101\.112)$/

/** What a time stamp says. */
export interface TimeStamp {
  /** When the authority saw what it stamped. */
  readonly at: Date
  readonly nonce: Buffer | undefined
}

/**
 * Checks a time-stamp token (RFC 3161) for a SHA-256: what it stamps, its signature, and that its signer is one of the
 * authority that the owner trusts. Throws a `TimeStampFault` that says what is wrong.
 */
export function checkTimeStamp(
  token: Buffer,
  sha256: Buffer,
  trusted: readonly X509Certificate[],
): TimeStamp {
  try {
    const { stamped, certificates, signer } = readToken(token)
    const info = readInfo(stamped)
    if (info.hash !== 'sha256' || !info.imprint.equals(sha256))
      throw new TimeStampFault('The time stamp is for something else.')
    const certificate = checkSignature(stamped, certificates, signer)
    checkIssuers(certificate, certificates, trusted, info.at)
    return { at: info.at, nonce: info.nonce }
  } catch (error) {
    if (error instanceof TimeStampFault) throw error
    const isForm = error instanceof DerFault
    throw new TimeStampFault(isForm ? `The time stamp cannot be read: ${error.message}` : String(error), {
      cause: error,
    })
  }
}

interface Token {
  /** What was signed for: the statement of the authority. */
  readonly stamped: Buffer
  readonly certificates: readonly X509Certificate[]
  readonly signer: readonly Der[]
}

function readToken(bytes: Buffer): Token {
  const [kind, wrapped] = expectParts(readDer(bytes), TAG.sequence)
  if (readOid(kind) !== SIGNED_DATA) throw new DerFault('It is not signed data.')
  const [, , content, ...rest] = expectParts(expectParts(wrapped, TAG.field(0))[0], TAG.sequence)
  const [type, held] = expectParts(content, TAG.sequence)
  if (readOid(type) !== STAMP_CONTENT) throw new DerFault('It is no time stamp.')
  const stamped = expectTag(expectParts(held, TAG.field(0))[0], TAG.octets).content
  const own = rest.find(({ tag }) => tag === TAG.field(0))
  const signers = expectParts(rest.at(-1), TAG.set)
  if (signers.length !== 1) throw new DerFault('It has not one signer.')
  const certificates = own ? partsOf(own).map(({ whole }) => new X509Certificate(whole)) : []
  return { stamped, certificates, signer: expectParts(signers[0], TAG.sequence) }
}

function readInfo(stamped: Buffer) {
  const [, , imprint, , time, ...rest] = expectParts(readDer(stamped), TAG.sequence)
  const [algorithm, hashed] = expectParts(imprint, TAG.sequence)
  return {
    hash: hashOf(algorithm),
    imprint: expectTag(hashed, TAG.octets).content,
    at: readTime(time),
    nonce: rest.find(({ tag }) => tag === TAG.integer)?.content,
  }
}

function hashOf(algorithm: Der | undefined): string {
  const name = HASHES[readOid(expectParts(algorithm, TAG.sequence)[0])]
  if (name === undefined) throw new DerFault('It uses a hash that is not known.')
  return name
}

const digest = (name: string, bytes: Buffer) => createHash(name).update(bytes).digest()

/** Throws unless the one who is named there has signed; answers its certificate. */
function checkSignature(
  stamped: Buffer,
  certificates: readonly X509Certificate[],
  [, , digestAlgorithm, signedAttributes, signatureAlgorithm, signature]: readonly Der[],
): X509Certificate {
  const hash = hashOf(digestAlgorithm)
  if (hash === 'sha1') throw new TimeStampFault('The time stamp is signed by way of SHA-1.')
  const attributes = readAttributes(expectTag(signedAttributes, TAG.field(0)))
  if (readOid(attributes.get(CONTENT_TYPE)) !== STAMP_CONTENT)
    throw new DerFault('Its content is another one.')
  if (!expectTag(attributes.get(MESSAGE_DIGEST), TAG.octets).content.equals(digest(hash, stamped)))
    throw new TimeStampFault('The time stamp was changed.')
  const certificate = findSigner(attributes, certificates)
  if (!SIGNATURES.test(readOid(expectParts(signatureAlgorithm, TAG.sequence)[0])))
    throw new TimeStampFault('The time stamp is signed in a way that is not supported.')
  // What is signed is the set by itself, with its own tag in place of the field's.
  const signed = Buffer.from((signedAttributes as Der).whole)
  signed[0] = TAG.set
  if (!isSigned(hash, signed, certificate.publicKey, expectTag(signature, TAG.octets).content))
    throw new TimeStampFault('The signature of the time stamp is wrong.')
  return certificate
}

function isSigned(hash: string, bytes: Buffer, key: KeyObject, signature: Buffer): boolean {
  return verify(key.asymmetricKeyType === 'ed25519' ? null : hash, bytes, key, signature)
}

function readAttributes(field: Der): Map<string, Der> {
  const attributes = new Map<string, Der>()
  for (const attribute of partsOf(field)) {
    const [type, values] = expectParts(attribute, TAG.sequence)
    const [value] = expectParts(values, TAG.set)
    const name = readOid(type)
    if (!value || attributes.has(name)) throw new DerFault('An attribute is there twice, or empty.')
    attributes.set(name, value)
  }
  return attributes
}

/** The certificate that the signed attributes name by its hash, so that no other one can be put in its place. */
function findSigner(
  attributes: ReadonlyMap<string, Der>,
  certificates: readonly X509Certificate[],
): X509Certificate {
  const byHash = attributes.get(SIGNER_BY_HASH)
  const named = expectParts(
    expectParts(byHash ?? attributes.get(SIGNER_BY_SHA1), TAG.sequence)[0],
    TAG.sequence,
  )
  const [first, second] = expectParts(named[0], TAG.sequence)
  const isPlain = first?.tag === TAG.octets
  const hash = isPlain ? (byHash ? 'sha256' : 'sha1') : hashOf(first)
  const wanted = expectTag(isPlain ? first : second, TAG.octets).content
  const found = certificates.find(({ raw }) => digest(hash, raw).equals(wanted))
  if (!found) throw new TimeStampFault('The certificate of the signer is not with the time stamp.')
  return found
}
