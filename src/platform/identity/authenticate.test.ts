import { expect, test } from 'vitest'
import { hashSecret } from '../basics/secret-hash.ts'
import type { Database } from '../storage/database.ts'
import { authenticator } from './authenticate.ts'

const bearers = ['a', 'b'].map((letter) => `ktok_${letter.repeat(16)}_${letter.repeat(64)}`)

test('each request is looked up for itself, and only where its credential can count', async () => {
  const { authenticate, looks } = twoTokens()
  const ask = (at: number, client: string, place: 'loopback' | 'public' | 'hosted' = 'loopback') =>
    authenticate({ authorization: `Bearer ${bearers[at]}`, place, client })
  const asked = [
    ask(0, 'one'),
    ask(0, 'one'),
    ask(0, 'two'),
    ask(1, 'one'),
    ask(0, 'one', 'hosted'),
    ask(0, 'one', 'public'),
  ]
  const callers = await Promise.all(asked)
  expect(callers.map(({ kind, id, client }) => `${kind} ${id} ${client}`)).toEqual([
    'token tok_aaaaaaaaaaaaaaaa one',
    'token tok_aaaaaaaaaaaaaaaa one',
    'token tok_aaaaaaaaaaaaaaaa two',
    'token tok_bbbbbbbbbbbbbbbb one',
    'anonymous - one',
    'anonymous - one',
  ])
  expect(looks.made).toBe(4)
})

test('a revoke counts for whoever asks next, in the same tick too', async () => {
  const { authenticate, looks } = twoTokens()
  const ask = async () =>
    (await authenticate({ authorization: `Bearer ${bearers[0]}`, place: 'loopback', client: 'one' })).kind
  expect(await ask()).toBe('token')
  looks.revoked = true
  expect(await ask()).toBe('anonymous')
})

test('a header counts up to 8,192 characters, and is not looked at beyond that', async () => {
  const asked: number[] = []
  const verifyJwt = async (bearer: string) => void asked.push(bearer.length)
  const authenticate = authenticator({ db: {} as Database, now, hubToken, verifyJwt })
  for (const length of [8_191, 8_192, 8_193])
    await authenticate({ authorization: 'Bearer a.'.padEnd(length, 'b'), place: 'loopback', client: 'one' })
  expect(asked).toEqual([8_184, 8_185])
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
