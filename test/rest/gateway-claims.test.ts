import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, type GenerateKeyPairResult, generateKeyPair, SignJWT } from 'jose'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Clock, TestHub } from '../harness/test-hub.ts'
import { jwt, seconds } from './credentials.fixture.ts'
import { send, startFault, startRestHub } from './rest-hub.fixture.ts'

const ISSUER = 'https://gateway.example.test'
const CLAIMS = { sub: 'ann', role: 'editor', vault_ids: ['default'], aud: 'knowtation-hub-rest' }

/** What whoami answers to a JWT, under a hosted name. */
async function whoIs(hub: TestHub, bearer: string): Promise<{ status: number; role: string | undefined }> {
  const headers = { host: 'api.knowtation.store' }
  const { status, text } = await send(hub.url, { path: '/api/v1/whoami', bearer, headers })
  return { status, role: (JSON.parse(text) as { role?: string }).role }
}

async function statusesOf(hub: TestHub, tokens: Record<string, string>): Promise<Record<string, number>> {
  const statuses: Record<string, number> = {}
  for (const [name, token] of Object.entries(tokens)) statuses[name] = (await whoIs(hub, token)).status
  return statuses
}

describe('the claims of a JWT', () => {
  // Far from the machine's own time, so that nothing judged by that would come out the same.
  const noon = new Date('2041-05-01T12:00:00.000Z')
  const clock: Clock = {}
  let hub: TestHub
  beforeAll(async () => {
    hub = await startRestHub({ clock, env: { KNOWTATION_JWT_ISSUER: ISSUER } })
  })
  afterEach(() => void (clock.now = undefined))
  afterAll(() => hub.close())

  test('begin and end by the clock of the hub, with five seconds to spare and no more', async () => {
    const moment = noon.getTime() / 1_000
    const at = async (claims: object, from_noon: number) => {
      clock.now = new Date(noon.getTime() + from_noon * 1_000)
      return (await whoIs(hub, await jwt({ claims: { iss: ISSUER, ...claims } }))).status
    }
    const ending = { exp: moment }
    expect([await at(ending, -1), await at(ending, 4), await at(ending, 5)]).toEqual([200, 200, 401])
    const beginning = { nbf: moment, exp: moment + 60 }
    expect([await at(beginning, -6), await at(beginning, -5), await at(beginning, 0)]).toEqual([
      401, 200, 200,
    ])
  })

  test('without an end count for an hour after they were made, and without either never', async () => {
    const moment = noon.getTime() / 1_000
    const at = async (claims: object, from_noon: number, ...without: string[]) => {
      clock.now = new Date(noon.getTime() + from_noon * 1_000)
      const token = await jwt({ claims: { iss: ISSUER, ...claims }, without: ['exp', ...without] })
      return (await whoIs(hub, token)).status
    }
    const statuses = []
    for (const second of [-6, -5, 0, 3_599, 3_600]) statuses.push(await at({ iat: moment }, second))
    expect(statuses).toEqual([401, 200, 200, 200, 401])
    expect([await at({}, 0, 'iat'), await at({ iat: String(moment) }, 0)]).toEqual([401, 401])
  })

  test('are not even read where they are longer than eight kilobytes', async () => {
    const shorter = await jwt({ claims: { iss: ISSUER, pad: 'x'.repeat(5_500) } })
    const longer = await jwt({ claims: { iss: ISSUER, pad: 'x'.repeat(6_500) } })
    expect([shorter.length < 8_000, longer.length > 8_192]).toEqual([true, true])
    expect(await statusesOf(hub, { shorter, longer })).toEqual({ shorter: 200, longer: 401 })
  })

  test('name the issuer beside a shared secret too, where one is set', async () => {
    const tokens = {
      ours: await jwt({ claims: { iss: ISSUER } }),
      another: await jwt({ claims: { iss: 'https://evil.example.test' } }),
      longer: await jwt({ claims: { iss: `${ISSUER}/` } }),
      none: await jwt(),
    }
    expect(await statusesOf(hub, tokens)).toEqual({ ours: 200, another: 401, longer: 401, none: 401 })
  })

  test('name a subject of at most 128 signs, and an administering agent by either scope', async () => {
    const most = await jwt({ claims: { iss: ISSUER, sub: 'a'.repeat(128) } })
    const more = await jwt({ claims: { iss: ISSUER, sub: 'a'.repeat(129) } })
    expect(await statusesOf(hub, { most, more })).toEqual({ most: 200, more: 401 })
    for (const scope of ['admin', 'vault:admin']) {
      const claims = { ...CLAIMS, iss: ISSUER, type: 'agent_access', role: 'viewer', scope }
      expect(await whoIs(hub, await jwt({ claims }))).toEqual({ status: 200, role: 'admin' })
    }
  })
})

describe('the keys of a gateway', () => {
  const pairs = new Map<string, GenerateKeyPairResult>()
  let keyServer: Server
  let hub: TestHub
  beforeAll(async () => {
    for (const alg of ['RS256', 'ES256', 'ES384', 'EdDSA'])
      pairs.set(alg, await generateKeyPair(alg, { extractable: true }))
    // They do not say which algorithm they are for: then only the hub's own list decides.
    const keys = await Promise.all(
      [...pairs].map(async ([kid, { publicKey }]) => ({ ...(await exportJWK(publicKey)), kid })),
    )
    keyServer = createServer((_request, response) => void response.end(JSON.stringify({ keys })))
    await new Promise<void>((listening) => keyServer.listen(0, '127.0.0.1', listening))
    const { port } = keyServer.address() as AddressInfo
    const url = `http://127.0.0.1:${port}/jwks.json`
    hub = await startRestHub({ env: { KNOWTATION_JWKS_URL: url, KNOWTATION_JWT_ISSUER: ISSUER } })
  })
  afterAll(async () => {
    await hub.close()
    await new Promise((closed) => keyServer.close(closed))
  })

  /** Signed by the published key of this name, in whatever way. */
  async function signed(kid: string, alg: string): Promise<string> {
    const { privateKey } = pairs.get(kid) as GenerateKeyPairResult
    // The same key serves each of the RSA algorithms.
    const key = kid === 'RS256' ? { ...(await exportJWK(privateKey)), alg } : privateKey
    return new SignJWT({ ...CLAIMS, iss: ISSUER, exp: seconds(60) })
      .setProtectedHeader({ alg, kid })
      .sign(key)
  }

  test('count with the four algorithms alone, whatever else a key could sign with', async () => {
    const ways: [string, string, number][] = [
      ['RS256', 'RS256', 200],
      ['RS256', 'PS256', 200],
      ['ES256', 'ES256', 200],
      ['EdDSA', 'EdDSA', 200],
      ['RS256', 'RS384', 401],
      ['RS256', 'RS512', 401],
      ['RS256', 'PS512', 401],
      ['ES384', 'ES384', 401],
    ]
    const seen = []
    for (const [kid, alg] of ways) seen.push([kid, alg, (await whoIs(hub, await signed(kid, alg))).status])
    expect(seen).toEqual(ways)
  })

  test('stand beside a shared secret, and neither lends the other anything', async () => {
    const { publicKey } = pairs.get('RS256') as GenerateKeyPairResult
    const { n } = await exportJWK(publicKey)
    const claims = { ...CLAIMS, iss: ISSUER }
    const tokens = {
      key: await signed('RS256', 'RS256'),
      secret: await jwt({ claims }),
      'the public key for a secret': await jwt({ claims, secret: n as string, header: { kid: 'RS256' } }),
      'a secret of its own': await jwt({ claims, secret: 'x'.repeat(40), header: { kid: 'RS256' } }),
    }
    expect(await statusesOf(hub, tokens)).toEqual({
      key: 200,
      secret: 200,
      'the public key for a secret': 401,
      'a secret of its own': 401,
    })
  })
})

test('keys that cannot be had are told of in the log, without the token', async () => {
  const nowhere = { KNOWTATION_JWKS_URL: 'http://127.0.0.1:9/jwks.json', KNOWTATION_JWT_ISSUER: ISSUER }
  const hub = await startRestHub({ env: { ...nowhere, KNOWTATION_JWT_SECRET: '' } })
  try {
    const { privateKey } = await generateKeyPair('RS256')
    const token = await new SignJWT({ ...CLAIMS, iss: ISSUER, exp: seconds(60) })
      .setProtectedHeader({ alg: 'RS256', kid: 'one' })
      .sign(privateKey)
    const warned = () => hub.logged.filter((line) => line.includes('KNOWTATION_JWKS_URL cannot be used'))
    expect((await whoIs(hub, 'a.b.c')).status).toBe(401)
    expect(warned()).toEqual([])
    expect((await whoIs(hub, token)).status).toBe(401)
    expect(warned()).toHaveLength(1)
    expect(hub.logged.join('')).not.toContain(token.slice(-40))
  } finally {
    await hub.close()
  }
})

test('a secret of 32 characters will do, and none shorter', async () => {
  expect(await startFault({ env: { KNOWTATION_JWT_SECRET: 'x'.repeat(31) } })).toMatch(/at least 32/)
  expect(await startFault({ env: { KNOWTATION_JWT_SECRET: 'x'.repeat(32) } })).toBe('It started.')
})
