import {
  createHmac,
  createPrivateKey,
  createPublicKey,
  createSecretKey,
  hash,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto'

/** Seals the chain: a fast code for its moving head, and signatures that others can check for checkpoints. */
export interface AuditKey {
  /** Tells keys apart without revealing them. */
  readonly key_id: string
  /** The Ed25519 public key (SPKI, PEM) that checkpoint signatures verify with. */
  readonly public_key: string
  sealHead(head: { seq: number; hash: string; checkpoint_seq: number }): string
  signCheckpoint(checkpoint: CheckpointBody): string
  isCheckpoint(checkpoint: CheckpointBody, signature: string): boolean
  /** Seals a line of the file that witnesses the head. */
  sealWitness(end: { seq: number; hash: string; at: string }): string
  /** Signs an end of the chain that is sent elsewhere. */
  signEnd(end: EndBody): string
  isEnd(end: EndBody, signature: string): boolean
  /** Signs the closing line of an export. */
  signExport(body: ExportBody): string
}

/** How far the chain had come at a moment. */
export interface EndBody {
  seq: number
  hash: string
  at: string
}

/** What the closing line of an export vouches for: where it begins, where it ends, and how much is between. */
export interface ExportBody {
  key_id: string
  exported_at: string
  from_seq: number
  previous_hash: string
  seq: number
  hash: string
  records: number
  checkpoints: number
}

export interface CheckpointBody {
  seq: number
  at: string
  hash: string
  previous_seq: number
  /** By which limit the chain was cut; older checkpoints have none. */
  rule?: string | null
}

const KEY_FORM = /^[0-9a-f]{64}$/
/** DER prefix that makes a raw 32-byte seed an Ed25519 private key (RFC 8410). */
const ED25519_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Reads the 32-byte key from its hex text, or says where it is wrong. */
export function parseAuditKey(text: string, source: string): AuditKey {
  const secret = text.trim()
  if (!KEY_FORM.test(secret)) throw new Error(`The audit key in ${source} must be 64 hexadecimal digits.`)
  // Few calls sign or check a signature, and a pair of keys takes longer than all the rest.
  let pair: KeyPair | undefined
  const keys = () => (pair ??= signingKeys(derive(secret, 'checkpoint')))
  const key_id = hash('sha256', derive(secret, 'id')).slice(0, 16)
  const headSecret = createSecretKey(derive(secret, 'head'))
  const witnessSecret = createSecretKey(derive(secret, 'witness'))
  return {
    key_id,
    get public_key() {
      return keys().publicKey.export({ type: 'spki', format: 'pem' }).toString()
    },
    sealHead: (head) =>
      createHmac('sha256', headSecret)
        .update(`${head.seq}|${head.hash}|${head.checkpoint_seq}`)
        .digest('hex'),
    sealWitness: (end) =>
      createHmac('sha256', witnessSecret).update(`${end.seq}|${end.hash}|${end.at}`).digest('hex'),
    signCheckpoint: (body) => sign(null, checkpointBytes(body), keys().privateKey).toString('base64'),
    isCheckpoint: (body, signature) => isSigned(keys().publicKey, checkpointBytes(body), signature),
    signEnd: (end) => sign(null, endBytes(key_id, end), keys().privateKey).toString('base64'),
    isEnd: (end, signature) => isSigned(keys().publicKey, endBytes(key_id, end), signature),
    signExport: (body) => sign(null, exportBytes(body), keys().privateKey).toString('base64'),
  }
}

function derive(secret: string, purpose: string): Buffer {
  return createHmac('sha256', Buffer.from(secret, 'hex')).update(`knowtation audit ${purpose}`).digest()
}

interface KeyPair {
  readonly privateKey: KeyObject
  readonly publicKey: KeyObject
}

function signingKeys(seed: Buffer): KeyPair {
  const der = Buffer.concat([ED25519_PREFIX, seed])
  const privateKey = createPrivateKey({ key: der, format: 'der', type: 'pkcs8' })
  return { privateKey, publicKey: createPublicKey(privateKey) }
}

/** Checks the signatures of an export with nothing but a public key (SPKI, PEM). */
export function publicAuditKey(public_key: string): {
  isCheckpoint(body: CheckpointBody, signature: string): boolean
  isExport(body: ExportBody, signature: string): boolean
} {
  const key = createPublicKey(public_key)
  return {
    isCheckpoint: (body, signature) => isSigned(key, checkpointBytes(body), signature),
    isExport: (body, signature) => isSigned(key, exportBytes(body), signature),
  }
}

function isSigned(key: KeyObject, bytes: Buffer, signature: string): boolean {
  return verify(null, bytes, key, Buffer.from(signature, 'base64'))
}

function checkpointBytes(body: CheckpointBody): Buffer {
  const place = [body.seq, body.at, body.hash, body.previous_seq]
  return Buffer.from(JSON.stringify(body.rule == null ? place : [...place, body.rule]))
}

// Begins with a word, a checkpoint with a number: a signature of one can never pass for the other.
function exportBytes(body: ExportBody): Buffer {
  const { key_id, exported_at, from_seq, previous_hash, seq, hash: end, records, checkpoints } = body
  return Buffer.from(
    JSON.stringify(['export', key_id, exported_at, from_seq, previous_hash, seq, end, records, checkpoints]),
  )
}

// Another word than that of an export, for the same reason.
function endBytes(key_id: string, { seq, hash: end, at }: EndBody): Buffer {
  return Buffer.from(JSON.stringify(['audit_end', key_id, seq, end, at]))
}
