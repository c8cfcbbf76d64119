import { createServer, type Server } from 'node:http'
import {
  type CryptoKey,
  exportJWK,
  exportSPKI,
  type GenerateKeyPairResult,
  generateKeyPair,
  type JWK,
  SignJWT,
} from 'jose'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import type { TestHub } from '../harness/test-hub.ts'
import { forgedJwt, jwt, seconds } from './credentials.fixture.ts'
import { send, startFault, startRestHub } from './rest-hub.fixture.ts'

const ISSUER = 'https://gateway.example.test'
const CLAIMS = { sub: 'ann', role: 'editor', vault_ids: ['default'], aud: 'knowtation-hub-rest', iss: ISSUER }
/** A key set that was just read is read again for an unknown key only after this long. */
const COOLDOWN_MS = 31_000

let keyServer: Server
let served: JWK[] | 'broken' = []
let asked = 0
let hub: TestHub
const pairs = new Map<string, GenerateKeyPairResult>()

beforeAll(async () => {
  keyServer = createServer((_request, response) => {
    asked++
    if (served === 'broken') return void response.writeHead(500).end()
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ keys: served }))
  })
  await new Promise<void>((listening) => keyServer.listen(0, '127.0.0.1', listening))
  for (const kid of ['one', 'two', 'stranger'])
    pairs.set(kid, await generateKeyPair('RS256', { extractable: true }))
  served = [await publicKey('one')]
  hub = await startKeyHub()
})
afterAll(async () => {
  await hub.close()
  await new Promise((closed) => keyServer.close(closed))
})
afterEach(() => void vi.useRealTimers())

function startKeyHub(): Promise<TestHub> {
  const { port } = keyServer.address() as { port: number }
  const url = `http://127.0.0.1:${port}/jwks.json`
  const env = { KNOWTATION_JWT_SECRET: '', KNOWTATION_JWKS_URL: url, KNOWTATION_JWT_ISSUER: ISSUER }
  return startRestHub({ env })
}

function keyOf(kid: string): GenerateKeyPairResult {
  return pairs.get(kid) as GenerateKeyPairResult
}

async function publicKey(kid: string): Promise<JWK> {
  return { ...(await exportJWK(keyOf(kid).publicKey)), kid, alg: 'RS256', use: 'sig' }
}

function signed(kid: string, claims: Record<string, unknown> = {}, key?: CryptoKey): Promise<string> {
  return new SignJWT({ exp: seconds(3_600), ...CLAIMS, ...claims })
    .setProtectedHeader({ alg: 'RS256', kid })
    .sign(key ?? keyOf(kid).privateKey)
}

async function statusOf(bearer: string, of = hub): Promise<number> {
  const headers = { host: 'api.knowtation.store' }
  return (await send(of.url, { path: '/api/v1/whoami', bearer, headers })).status
}

/** Moves the time that judges how fresh the key set is; timers keep running. */
function later(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
}

test('accepts a JWT of the published key and reads the key set once', async () => {
  expect(await statusOf(await signed('one'))).toBe(200)
  expect(await statusOf(await signed('one', { role: 'admin' }))).toBe(200)
  expect(asked).toBe(1)
})

test('refuses what the published key does not vouch for', async () => {
  const pem = await exportSPKI(keyOf('one').publicKey)
  const wrong = {
    'another key under a known name': await signed('one', {}, keyOf('stranger').privateKey),
    'another issuer': await signed('one', { iss: 'https://evil.example.test' }),
    'no issuer': await signed('one', { iss: undefined }),
    'another audience': await signed('one', { aud: 'knowtation-hub-mcp' }),
    'no audience': await signed('one', { aud: undefined }),
    expired: await signed('one', { exp: seconds(-60) }),
    'no sub': await signed('one', { sub: undefined }),
    unsigned: forgedJwt({ alg: 'none', kid: 'one' }, { ...CLAIMS, exp: seconds(60) }),
    'HS256 with the public key as secret': forgedJwt(
      { alg: 'HS256', kid: 'one' },
      { ...CLAIMS, exp: seconds(60) },
      pem,
    ),
    'HS256 with the tests’ secret': await jwt({ claims: CLAIMS }),
    'a key of its own in the header': await new SignJWT({ ...CLAIMS, exp: seconds(60) })
      .setProtectedHeader({ alg: 'RS256', kid: 'one', jwk: await publicKey('stranger') })
      .sign(keyOf('stranger').privateKey),
  }
  const statuses = []
  for (const [name, token] of Object.entries(wrong)) statuses.push([name, await statusOf(token)])
  expect(statuses).toEqual(Object.keys(wrong).map((name) => [name, 401]))
})

test('follows a rotation of the keys, and drops the old key with it', async () => {
  expect(await statusOf(await signed('two'))).toBe(401)
  served = [await publicKey('two')]
  later(COOLDOWN_MS)
  expect(await statusOf(await signed('two'))).toBe(200)
  expect(await statusOf(await signed('one'))).toBe(401)
})

test('refuses while the key set cannot be read and works when it can be again', async () => {
  served = 'broken'
  const other = await startKeyHub()
  try {
    expect(await statusOf(await signed('two'), other)).toBe(401)
    expect(await statusOf(other.credentials.bearers.hub ?? '', other)).toBe(401)
    const local = await send(other.url, { path: '/api/v1/whoami', bearer: other.credentials.bearers.hub })
    expect(local.status).toBe(200)
    served = [await publicKey('two')]
    expect(await statusOf(await signed('two'), other)).toBe(200)
  } finally {
    await other.close()
  }
})

test('a flood of JWTs with unknown keys does not become a flood at the gateway', async () => {
  const before = asked
  const tokens = await Promise.all(
    Array.from({ length: 20 }, (_, at) => signed('stranger', { jti: `${at}` })),
  )
  for (const token of tokens) expect(await statusOf(token)).toBe(401)
  expect(asked - before).toBeLessThanOrEqual(1)
})

test.each([
  ['a short secret', { KNOWTATION_JWT_SECRET: 'short' }, /KNOWTATION_JWT_SECRET/],
  ['a key set without issuer', { KNOWTATION_JWKS_URL: 'http://127.0.0.1:1/' }, /KNOWTATION_JWT_ISSUER/],
  [
    'a key set address that is none',
    { KNOWTATION_JWKS_URL: 'nowhere', KNOWTATION_JWT_ISSUER: ISSUER },
    /KNOWTATION_JWKS_URL/,
  ],
  ...[
    'http://gateway.example.test/jwks.json',
    'http://192.0.2.1/jwks.json',
    'http://127.0.0.1.example.test/',
    'http://localhost.example.test/',
    'http://127.0.0.1@192.0.2.1/',
    'ftp://127.0.0.1/jwks.json',
    'file:///etc/jwks.json',
  ].map((url): [string, NodeJS.ProcessEnv, RegExp] => [
    `a key set that anybody on its way could change (${url})`,
    { KNOWTATION_JWKS_URL: url, KNOWTATION_JWT_ISSUER: ISSUER },
    /KNOWTATION_JWKS_URL must be an https address, or http on this machine/,
  ]),
])('%s stops the start and is named', async (_what, env, named) => {
  expect(await startFault({ env })).toMatch(named)
})

test.each([
  'https://gateway.example.test/jwks.json',
  'http://localhost:1/',
  'http://[::1]:1/',
  'http://127.9.9.9/',
])('a hub starts with the key set at %s', async (url) => {
  const env = { KNOWTATION_JWT_SECRET: '', KNOWTATION_JWKS_URL: url, KNOWTATION_JWT_ISSUER: ISSUER }
  expect(await startFault({ env })).toBe('It started.')
})
