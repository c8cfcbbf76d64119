import { expect, test } from 'vitest'
import { startWebServer } from '../../src/domains/control/connectors/web-server.fixture.ts'
import { startTestHub } from '../harness/test-hub.ts'
import { countMade, LOOPBACK_SOURCES, meet } from './intents.fixture.ts'

test('a token that no request can carry makes no connection, and is not taken for a source out of reach', async () => {
  const asked: string[] = []
  await using provider = await startWebServer((request, response) => {
    const issuer = `http://${request.headers.host}`
    const ends = ['authorization', 'token', 'revocation'].map((name) => [
      `${name}_endpoint`,
      `${issuer}/${name}`,
    ])
    const metadata = { issuer, ...Object.fromEntries(ends), code_challenge_methods_supported: ['S256'] }
    const tokens = { access_token: 'line\r\nbreak', token_type: 'bearer' }
    asked.push(String(request.url))
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(request.url === '/token' ? tokens : metadata))
  })
  const hub = await startTestHub({ config: LOOPBACK_SOURCES })
  try {
    const people = await meet(hub)
    const before = await countMade(hub)
    const { intent_id } = await people.begin('json_api')
    const values = { url: `${provider.url}/list`, issuer: provider.url, client_id: 'hub' }
    const { body } = await people.asOwner('POST', `/_ref/intents/${intent_id}/authorize`, { values })
    const state = new URL(String(body.authorization_url)).searchParams.get('state')
    const callback_url = `${body.redirect_uri}?code=c&state=${state}`
    const done = await people.asOwner('POST', `/_ref/intents/${intent_id}/complete`, { callback_url })
    expect(done.body.error).toMatchObject({
      code: 'source_needs_attention',
      message: 'A credential or setting holds a sign that no request can carry.',
    })
    expect(await countMade(hub)).toEqual(before)
    expect([asked.includes('/list'), asked.includes('/revocation')]).toEqual([false, true])
  } finally {
    await hub.close()
  }
})
