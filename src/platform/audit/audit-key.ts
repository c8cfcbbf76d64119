import {
  createHmac,
  createPrivateKey,
  createPublicKey,
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
}

export interface CheckpointBody {
  seq: number
  at: string
  hash: string
  previous_seq: number
}

const KEY_FORM = /^[0-9a-f]{64}$/
/** DER prefix that makes a raw 32-byte seed an Ed25519 private key (RFC 8410). */
const ED25519_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex')

/** Reads the 32-byte key from its hex text, or says where it is wrong. */
export function parseAuditKey(text: string, source: string): AuditKey {
  const secret = text.trim()
  if (!KEY_FORM.test(secret)) throw new Error(`The audit key in ${source} must be 64 hexadecimal digits.`)
  const privateKey = signingKey(derive(secret, 'checkpoint'))
  const publicKey = createPublicKey(privateKey)
  const headSecret = derive(secret, 'head')
  return {
    key_id: hash('sha256', derive(secret, 'id')).slice(0, 16),
    public_key: publicKey.export({ type: 'spki', format: 'pem' }).toString(),
    sealHead: (head) =>
      createHmac('sha256', headSecret)
        .update(`${head.seq}|${head.hash}|${head.checkpoint_seq}`)
        .digest('hex'),
    signCheckpoint: (body) => sign(null, bytesOf(body), privateKey).toString('base64'),
    isCheckpoint: (body, signature) =>
      verify(null, bytesOf(body), publicKey, Buffer.from(signature, 'base64')),
  }
}

function derive(secret: string, purpose: string): Buffer {
  return createHmac('sha256', Buffer.from(secret, 'hex')).update(`knowtation audit ${purpose}`).digest()
}

function signingKey(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([ED25519_PREFIX, seed]), format: 'der', type: 'pkcs8' })
}

function bytesOf(body: CheckpointBody): Buffer {
  return Buffer.from(JSON.stringify([body.seq, body.at, body.hash, body.previous_seq]))
}
