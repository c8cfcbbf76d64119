import { setImmediate as nextTurn } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { hashSecret } from '../basics/secret-hash.ts'
import type { Database } from '../storage/database.ts'
import { authenticator } from './authenticate.ts'

const bearers = ['a', 'b'].map((letter) => `ktok_${letter.repeat(16)}_${letter.repeat(64)}`)

test('requests read together share a look only where they come from one caller', async () => {
  const { authenticate, looks } = twoTokens()
  const ask = (at: number, client: string, loopback = true) =>
    authenticate({ authorization: `Bearer ${bearers[at]}`, loopback, client })
  const asked = [ask(0, 'one'), ask(0, 'one'), ask(0, 'two'), ask(1, 'one'), ask(0, 'one', false)]
  const callers = await Promise.all(asked)
  expect(callers.map(({ kind, id, client }) => `${kind} ${id} ${client}`)).toEqual([
    'token tok_aaaaaaaaaaaaaaaa one',
    'token tok_aaaaaaaaaaaaaaaa one',
    'token tok_aaaaaaaaaaaaaaaa two',
    'token tok_bbbbbbbbbbbbbbbb one',
    'anonymous - one',
  ])
  expect(looks.made).toBe(3)
})

test('a revoke counts for whoever asks in a later turn', async () => {
  const { authenticate, looks } = twoTokens()
  const ask = async () =>
    (await authenticate({ authorization: `Bearer ${bearers[0]}`, loopback: true, client: 'one' })).kind
  expect(await ask()).toBe('token')
  looks.revoked = true
  await nextTurn()
  expect(await ask()).toBe('anonymous')
})

const now = () => new Date()
const hubToken = () => undefined

/** A store of two tokens that counts how often it is asked. */
function twoTokens() {
  const looks = { made: 0, revoked: false }
  const rows = bearers.map((bearer) => ({
    token_id: `tok_${bearer.slice(5, 21)}`,
    vault_id: 'default',
    role: 'viewer',
    expires_at: null,
    secret_hash: hashSecret(bearer),
  }))
  const get = async (_statement: unknown, token_id: string) => {
    looks.made++
    const row = rows.find((one) => one.token_id === token_id)
    return row && { ...row, revoked_at: looks.revoked ? '2026-01-01T00:00:00.000Z' : null }
  }
  const db = { get } as unknown as Database
  return { looks, authenticate: authenticator({ db, now, hubToken, verifyJwt: undefined }) }
}
