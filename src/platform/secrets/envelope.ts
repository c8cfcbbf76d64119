import { createCipheriv, createDecipheriv, createSecretKey, type KeyObject, randomBytes } from 'node:crypto'
import { type SecretsKey, SecretsKeyFault } from './secrets-key.ts'

/** Where a secret belongs. It opens at this place and at no other. */
export interface SecretPlace {
  /** The id of the thing that has the secret. */
  readonly id: string
  /** Which of its secrets it is. */
  readonly field: string
}

/** What is stored was changed, cut short, or belongs elsewhere. */
class SealBroken extends Error {
  override readonly name = 'SealBroken'
}

const CIPHER = 'aes-256-gcm'
const VERSION = 1
const NONCE_BYTES = 12
const TAG_BYTES = 16
const KEY_BYTES = 32
const KEY_ID_BYTES = 8
const WRAPPED_BYTES = NONCE_BYTES + KEY_BYTES + TAG_BYTES
const HEAD_BYTES = 1 + KEY_ID_BYTES
const LEAST_BYTES = HEAD_BYTES + WRAPPED_BYTES + NONCE_BYTES + TAG_BYTES
/** Longer than any credential, and than the small uploads that are kept the same way. */
const SECRET_LIMIT_BYTES = 8 * 1_048_576

/**
 * Seals a text: version, key id, its own random key under the hub's, and the text under its own.
 * Every part is bound to the place.
 */
export function sealText({ key, key_id }: SecretsKey, place: SecretPlace, text: string): string {
  const bytes = Buffer.from(text, 'utf8')
  if (bytes.length > SECRET_LIMIT_BYTES) throw new RangeError('The secret is too long to be sealed.')
  const head = Buffer.concat([Buffer.from([VERSION]), Buffer.from(key_id, 'hex')])
  const bound = boundTo(head, place)
  const own = randomBytes(KEY_BYTES)
  const sealed = [head, encrypt(key, bound, own), encrypt(createSecretKey(own), bound, bytes)]
  own.fill(0)
  return Buffer.concat(sealed).toString('base64')
}

/** Opens what was sealed for this place, or throws. */
export function openText(secrets: SecretsKey, place: SecretPlace, sealed: string): string {
  const all = Buffer.from(sealed, 'base64')
  if (all.length < LEAST_BYTES || all[0] !== VERSION)
    throw new SealBroken(`The secret ${place.field} of ${place.id} is damaged.`)
  const head = all.subarray(0, HEAD_BYTES)
  checkKey(secrets, head, place)
  const bound = boundTo(head, place)
  const body_start = HEAD_BYTES + WRAPPED_BYTES
  try {
    const own = decrypt(secrets.key, bound, all.subarray(HEAD_BYTES, body_start))
    return decrypt(createSecretKey(own), bound, all.subarray(body_start)).toString('utf8')
  } catch (cause) {
    throw new SealBroken(`The secret ${place.field} of ${place.id} is damaged, or of another place.`, {
      cause,
    })
  }
}

/** Which key a sealed text names; it says so in the clear. */
export function keyIdOf(sealed: string): string {
  return Buffer.from(sealed, 'base64').subarray(1, HEAD_BYTES).toString('hex')
}

function checkKey({ key_id, source }: SecretsKey, head: Buffer, { id, field }: SecretPlace): void {
  const sealed_with = head.subarray(1).toString('hex')
  if (sealed_with === key_id) return
  throw new SecretsKeyFault(
    `The secret ${field} of ${id} is sealed with the key ${sealed_with}, but ${source} holds the key ${key_id}.`,
  )
}

function boundTo(head: Buffer, { id, field }: SecretPlace): Buffer {
  return Buffer.concat([head, Buffer.from(JSON.stringify([id, field]), 'utf8')])
}

function encrypt(key: KeyObject, bound: Buffer, bytes: Buffer): Buffer {
  const nonce = randomBytes(NONCE_BYTES)
  const cipher = createCipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(bound)
  return Buffer.concat([nonce, cipher.update(bytes), cipher.final(), cipher.getAuthTag()])
}

function decrypt(key: KeyObject, bound: Buffer, part: Buffer): Buffer {
  const nonce = part.subarray(0, NONCE_BYTES)
  const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES })
  decipher.setAAD(bound).setAuthTag(part.subarray(part.length - TAG_BYTES))
  const text = decipher.update(part.subarray(NONCE_BYTES, part.length - TAG_BYTES))
  return Buffer.concat([text, decipher.final()])
}
