import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** A credential as a browser posts it. */
export interface PostedCredential {
  readonly id: string
  readonly rawId: string
  readonly type: 'public-key'
  readonly clientExtensionResults: object
  readonly response: Readonly<Record<string, unknown>>
}

/** One passkey in a device made of software: unlike a browser it counts as the test tells it to. */
export interface Authenticator {
  /** What it answers when it is asked to make its passkey. */
  register(challenge: string): PostedCredential
  /** What it answers when it is asked to prove itself, with this counter; on another page of the name, if told so. */
  prove(challenge: string, counter: number, on?: string): PostedCredential
}

/** The person is there, and was recognised; with the passkey's own data or without. */
const RECOGNISED = 0x05
const WITH_KEY = 0x45

/** A device at a page of this origin. */
export function authenticatorAt(origin: string): Authenticator {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
  const credential_id = randomBytes(32)
  const page = createHash('sha256').update(new URL(origin).hostname).digest()
  const clientData = (type: string, challenge: string, on = origin) =>
    Buffer.from(JSON.stringify({ type, challenge, origin: on, crossOrigin: false }))
  const credential = (response: PostedCredential['response']): PostedCredential => {
    const id = credential_id.toString('base64url')
    return { id, rawId: id, type: 'public-key', clientExtensionResults: {}, response }
  }
  return {
    register(challenge) {
      const length = Buffer.from([0, credential_id.length])
      const key = coseKey(Buffer.from(x, 'base64url'), Buffer.from(y, 'base64url'))
      const nameless = Buffer.alloc(16)
      const data = Buffer.concat([
        page,
        Buffer.from([WITH_KEY]),
        counted(0),
        nameless,
        length,
        credential_id,
        key,
      ])
      const clientDataJSON = clientData('webauthn.create', challenge).toString('base64url')
      return credential({ clientDataJSON, attestationObject: attestation(data).toString('base64url') })
    },
    prove(challenge, counter, on) {
      const said = clientData('webauthn.get', challenge, on)
      const data = Buffer.concat([page, Buffer.from([RECOGNISED]), counted(counter)])
      const signed = Buffer.concat([data, createHash('sha256').update(said).digest()])
      return credential({
        clientDataJSON: said.toString('base64url'),
        authenticatorData: data.toString('base64url'),
        signature: sign('sha256', signed, privateKey).toString('base64url'),
      })
    },
  }
}

function counted(counter: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(counter)
  return bytes
}

/** The public key as a CBOR map: an ES256 key on P-256, with its two coordinates of 32 bytes. */
function coseKey(x: Buffer, y: Buffer): Buffer {
  const head = Buffer.from([0xa5, 0x01, 0x02, 0x03, 0x26, 0x20, 0x01])
  return Buffer.concat([head, Buffer.from([0x21, 0x58, 0x20]), x, Buffer.from([0x22, 0x58, 0x20]), y])
}

/** A short text in CBOR. */
function name(text: string): Buffer {
  return Buffer.concat([Buffer.from([0x60 | text.length]), Buffer.from(text)])
}

/** The CBOR map `{fmt: "none", attStmt: {}, authData}`, whose data is shorter than 256 bytes. */
function attestation(data: Buffer): Buffer {
  return Buffer.concat([
    Buffer.from([0xa3]),
    name('fmt'),
    name('none'),
    name('attStmt'),
    Buffer.from([0xa0]),
    name('authData'),
    Buffer.from([0x58, data.length]),
    data,
  ])
}
