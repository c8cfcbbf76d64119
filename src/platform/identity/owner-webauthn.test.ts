import { expect, test } from 'vitest'
import { registrationOptions, signInOptions } from './owner-webauthn.ts'

test('the browser is asked for a passkey that knows its user, as long as the challenge counts', () => {
  const known = [{ credential_id: 'abc' }] as never
  expect(registrationOptions('ch', 'owner.localhost', known)).toMatchObject({
    challenge: 'ch',
    rp: { id: 'owner.localhost' },
    timeout: 300_000,
    excludeCredentials: [{ type: 'public-key', id: 'abc' }],
    authenticatorSelection: { userVerification: 'required' },
  })
  expect(signInOptions('ch', 'owner.localhost')).toEqual({
    challenge: 'ch',
    rpId: 'owner.localhost',
    timeout: 300_000,
    userVerification: 'required',
    allowCredentials: [],
  })
})
