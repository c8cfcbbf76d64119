import type {
  AuthenticationResponseJSON,
  AuthenticatorTransport,
  RegistrationResponseJSON,
} from '@simplewebauthn/server'
import { OWNER_ID } from './owner-account.ts'
import { CHALLENGE_TTL_SECONDS, type OwnerPasskey } from './owner-passkeys.ts'

/** ES256, EdDSA and RS256: what authenticators speak today. */
const ALGORITHMS = [-7, -8, -257]

/** What the browser is asked to do, in the words of WebAuthn. */
export function registrationOptions(challenge: string, rp_id: string, known: readonly OwnerPasskey[]) {
  return {
    rp: { id: rp_id, name: 'Knowtation' },
    user: { id: Buffer.from(OWNER_ID).toString('base64url'), name: OWNER_ID, displayName: 'Owner' },
    challenge,
    pubKeyCredParams: ALGORITHMS.map((alg) => ({ type: 'public-key', alg })),
    timeout: CHALLENGE_TTL_SECONDS * 1_000,
    attestation: 'none',
    excludeCredentials: known.map(({ credential_id }) => ({ type: 'public-key', id: credential_id })),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
  }
}

/** The same for signing in. Which passkeys there are is not told to who has not signed in. */
export function signInOptions(challenge: string, rp_id: string) {
  const timeout = CHALLENGE_TTL_SECONDS * 1_000
  return { challenge, rpId: rp_id, timeout, userVerification: 'required', allowCredentials: [] }
}

/** What a browser has made for a challenge; undefined when it is not sound. */
export async function findRegistration(
  response: unknown,
  origin: string,
  isChallenge: (challenge: string) => Promise<boolean>,
): Promise<
  Pick<OwnerPasskey, 'credential_id' | 'public_key' | 'counter' | 'transports' | 'origin'> | undefined
> {
  const { verifyRegistrationResponse } = await import('@simplewebauthn/server')
  const verified = await orNothing(() =>
    verifyRegistrationResponse({
      response: response as RegistrationResponseJSON,
      expectedChallenge: isChallenge,
      expectedOrigin: origin,
      expectedRPID: new URL(origin).hostname,
      requireUserVerification: true,
      supportedAlgorithmIDs: ALGORITHMS,
    }),
  )
  const credential = verified?.verified ? verified.registrationInfo?.credential : undefined
  if (!credential) return undefined
  return {
    credential_id: credential.id,
    public_key: Buffer.from(credential.publicKey).toString('base64url'),
    counter: credential.counter,
    transports: JSON.stringify(credential.transports ?? []),
    origin,
  }
}

/**
 * The new counter of a passkey that signed a challenge; undefined when it did not. The page that it was made on is the
 * only one that it counts on: what the request says of its own address is no part of this.
 */
export async function findAssertion(
  response: unknown,
  passkey: OwnerPasskey,
  isChallenge: (challenge: string) => Promise<boolean>,
): Promise<{ counter: number } | undefined> {
  const { origin } = passkey
  if (origin === null) return undefined
  const { verifyAuthenticationResponse } = await import('@simplewebauthn/server')
  const verified = await orNothing(() =>
    verifyAuthenticationResponse({
      response: response as AuthenticationResponseJSON,
      expectedChallenge: isChallenge,
      expectedOrigin: origin,
      expectedRPID: new URL(origin).hostname,
      requireUserVerification: true,
      credential: {
        id: passkey.credential_id,
        publicKey: new Uint8Array(Buffer.from(passkey.public_key, 'base64url')),
        counter: passkey.counter,
        transports: JSON.parse(passkey.transports) as AuthenticatorTransport[],
      },
    }),
  )
  return verified?.verified ? { counter: verified.authenticationInfo.newCounter } : undefined
}

/** The library throws for whatever does not fit; for us all of it means the same. */
async function orNothing<Result>(act: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await act()
  } catch {
    return undefined
  }
}
