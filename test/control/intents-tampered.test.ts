import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { OAuth2Server } from 'oauth2-mock-server'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestHub, type TestHub } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { countMade, everythingKept, LOOPBACK_SOURCES, meet, type People } from './intents.fixture.ts'

interface TokenAnswer {
  body: Record<string, unknown> | string
  statusCode: number
}

let hub: TestHub
let people: People
let server: OAuth2Server
let issuer: string
beforeAll(async () => {
  hub = await startTestHub({ config: LOOPBACK_SOURCES })
  people = await meet(hub)
  server = new OAuth2Server()
  await server.issuer.keys.generate('RS256')
  await server.start(0, '127.0.0.1')
  issuer = `http://127.0.0.1:${server.address().port}`
  server.issuer.url = issuer
})
afterAll(async () => {
  await server.stop()
  await hub.close()
})

/** Goes to the provider and back; the provider gives access without asking. */
async function goThere(more: object = {}) {
  const { intent_id } = await people.begin('json_api')
  const values = {
    url: `${issuer}/jwks`,
    issuer,
    client_id: 'hub',
    records_field: 'keys',
    key_field: 'kid',
    ...more,
  }
  const begun = await people.asOwner('POST', `/_ref/intents/${intent_id}/authorize`, { values })
  const url = begun.body.authorization_url as string | undefined
  if (url === undefined) return { intent_id, begun }
  const led = await fetch(url, { redirect: 'manual' })
  return { intent_id, begun, callback_url: led.headers.get('location') as string }
}

async function finish({ intent_id, callback_url }: { intent_id: string; callback_url?: string }) {
  const done = await people.asOwner('POST', `/_ref/intents/${intent_id}/complete`, { callback_url })
  return { status: done.status, code: done.body.error?.code, message: done.body.error?.message ?? '' }
}

const tampered = (change: (answer: TokenAnswer) => void) =>
  server.service.once('beforeResponse', (answer: TokenAnswer) => change(answer))

describe('a provider whose answers are tampered with', () => {
  test('is taken at its word when nothing is', async () => {
    const done = await finish(await goThere())
    expect(done).toMatchObject({ status: 200 })
  })

  const cases: [string, (answer: TokenAnswer) => void, [number, string]][] = [
    [
      'no token',
      ({ body }) => void delete (body as Record<string, unknown>).access_token,
      [502, 'source_bad_answer'],
    ],
    [
      'a token that is no text',
      ({ body }) => void Object.assign(body, { access_token: { sentinel: 'SENTINEL-TOKEN' } }),
      [502, 'source_bad_answer'],
    ],
    [
      'a time that is none',
      ({ body }) => void Object.assign(body, { expires_in: 'SENTINEL-TIME' }),
      [502, 'source_bad_answer'],
    ],
    [
      'an error with a text of its own',
      (answer) => {
        answer.statusCode = 400
        answer.body = { error: 'SENTINEL-ERROR', error_description: 'SENTINEL-WORDS' }
      },
      [409, 'source_refused'],
    ],
    [
      'a fault of its own',
      (answer) => {
        answer.statusCode = 503
        answer.body = { error: 'SENTINEL-FAULT' }
      },
      [502, 'source_unreachable'],
    ],
    [
      'no JSON',
      (answer) => {
        answer.body = '<html>SENTINEL-PAGE</html>'
      },
      [502, 'source_bad_answer'],
    ],
    [
      'a flood',
      (answer) => {
        answer.body = { access_token: 'x'.repeat(1_000_000), token_type: 'Bearer' }
      },
      [409, 'source_too_large'],
    ],
  ]
  for (const [what, change, wanted] of cases)
    verifies('OWNR-057', `sending ${what} connects nothing`, async () => {
      const before = await countMade(hub)
      const there = await goThere()
      tampered(change)
      const { status, code, message } = await finish(there)
      expect([status, code]).toEqual(wanted)
      expect(message).not.toContain('SENTINEL')
      expect(await countMade(hub)).toEqual(before)
      expect(await everythingKept(hub)).not.toContain('SENTINEL')
      // The state was used up with the try.
      expect(await finish(there)).toMatchObject({ status: 400, code: 'oauth_state_invalid' })
    })

  verifies('OWNR-057', 'that answers in another’s name connects nothing', async () => {
    const before = await countMade(hub)
    const there = await goThere()
    const other = new URL(there.callback_url as string)
    other.searchParams.set('iss', 'https://another.example')
    const done = await finish({ ...there, callback_url: other.href })
    expect([done.status, done.code]).toEqual([502, 'source_bad_answer'])
    expect(await countMade(hub)).toEqual(before)
  })
})

async function withMetadata(
  document: (own: string) => object | undefined,
  act: (own: string) => Promise<void>,
) {
  const asked: string[] = []
  const fake = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const body = document(own)
    if (body === undefined) return response.writeHead(302, { location: `${issuer}${request.url}` }).end()
    return response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => fake.listen(0, '127.0.0.1', resolve))
  const own = `http://127.0.0.1:${(fake.address() as AddressInfo).port}`
  try {
    await act(own)
  } finally {
    fake.closeAllConnections()
    await new Promise((resolve) => fake.close(resolve))
  }
}

describe('metadata that is tampered with', () => {
  test.each<[string, (own: string) => object | undefined]>([
    [
      'of another issuer',
      () => ({ issuer: 'https://another.example', authorization_endpoint: 'https://a.example/' }),
    ],
    ['without an endpoint', (own) => ({ issuer: own, token_endpoint: `${own}/token` })],
    [
      'with a script for an endpoint',
      (own) => ({ issuer: own, authorization_endpoint: 'javascript:alert(1)' }),
    ],
    [
      'with a plain address',
      (own) => ({ issuer: own, authorization_endpoint: 'http://a.example/authorize' }),
    ],
    ['that lies elsewhere', () => undefined],
  ])('%s sends the owner nowhere', (_what, document) =>
    withMetadata(document, async (own) => {
      const { begun } = await goThere({ issuer: own })
      expect([begun.status, begun.body.error?.code]).toEqual([502, 'source_bad_answer'])
    }),
  )
})
