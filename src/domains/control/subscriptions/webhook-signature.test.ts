import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { realSystem } from '../../../platform/basics/system.ts'
import { newSigningSecret, signedHeaders } from './webhook-signature.ts'

test('every body is believed by the reference library with each of the secrets, and with no other', () => {
  const secrets = [newSigningSecret(realSystem), newSigningSecret(realSystem)]
  const other = newSigningSecret(realSystem)
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const body = JSON.stringify(value)
      const headers = signedHeaders(secrets, 'evt_one', body, new Date())
      for (const secret of secrets) expect(() => new Webhook(secret).verify(body, headers)).not.toThrow()
      expect(() => new Webhook(other).verify(body, headers)).toThrow()
      expect(() => new Webhook(secrets[0] as string).verify(`${body} `, headers)).toThrow()
    }),
  )
})
