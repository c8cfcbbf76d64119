import { ceremony } from '../../api/ceremony'
import { Refused } from '../../api/client'

interface RegisterOptions {
  readonly challenge: string
  readonly user: { readonly id: string; readonly name: string; readonly displayName: string }
  readonly excludeCredentials: readonly { readonly id: string; readonly type: 'public-key' }[]
}

/** Has the browser make a passkey, and the hub keep its public half. */
export async function addPasskey(label: string, current: string): Promise<void> {
  const proof = current === '' ? {} : { current }
  const asked = (await ceremony('/owner/passkey/register-challenge', proof)) as { options: RegisterOptions }
  const { options } = asked
  const publicKey = {
    ...options,
    challenge: bytesOf(options.challenge),
    user: { ...options.user, id: bytesOf(options.user.id) },
    excludeCredentials: options.excludeCredentials.map((one) => ({ ...one, id: bytesOf(one.id) })),
  } as unknown as PublicKeyCredentialCreationOptions
  const made = await navigator.credentials.create({ publicKey }).catch((error: Error) => {
    throw new Refused(0, error.name, 'The browser made no passkey.')
  })
  const { rawId, response } = made as PublicKeyCredential & { response: AuthenticatorAttestationResponse }
  const credential = {
    id: textOf(rawId),
    rawId: textOf(rawId),
    type: 'public-key',
    clientExtensionResults: {},
    response: {
      clientDataJSON: textOf(response.clientDataJSON),
      attestationObject: textOf(response.attestationObject),
      transports: response.getTransports(),
    },
  }
  await ceremony('/owner/passkey/register', { label, credential })
}

function bytesOf(text: string): Uint8Array {
  const plain = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(plain, (sign) => sign.charCodeAt(0))
}

function textOf(buffer: ArrayBuffer): string {
  const plain = btoa(String.fromCharCode(...new Uint8Array(buffer)))
  return plain.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '')
}
