import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  accessToken,
  renewAccessToken,
  revokeTokens,
} from '../../src/domains/control/connections/oauth-tokens.ts'
import { DATABASES } from '../harness/test-hub.ts'
import { verifies } from '../requirements/verifies.ts'
import { countMade, eventsOf, everythingKept } from './intents.fixture.ts'
import { giveAccess, startProvider } from './oauth-provider.fixture.ts'
import {
  callbackOf,
  comeBack,
  connect,
  goToProvider,
  INTENTS,
  lastFailure,
  type OAuthStage,
  openStage,
  sourceOf,
} from './oauth-stage.fixture.ts'

describe.each(DATABASES)('authorisation at a real provider, on %s', (database) => {
  let stage: OAuthStage
  beforeAll(async () => {
    stage = await openStage(database)
  })
  afterAll(() => stage?.[Symbol.asyncDispose]())

  verifies(
    ['OWNR-057', 'OWNR-055', 'OWNR-056'],
    'makes one connection, and none before it is done',
    async () => {
      const listed = async () =>
        (await stage.people.asAgent('GET', '/v1/owner/connections')).body.data as object[]
      expect(await listed()).toEqual([])
      const { intent_id, next_step } = await stage.people.begin('json_api', { display_name: 'Items' })
      expect(next_step.kind).toBe('open_url')
      const { url, text } = await goToProvider(stage, intent_id)
      expect(JSON.parse(text)).toMatchObject({ intent_id, redirect_uri: callbackOf(stage.hub) })
      const asked = new URL(url)
      expect(asked.origin).toBe(stage.provider.issuer)
      expect(Object.fromEntries(asked.searchParams)).toMatchObject({
        response_type: 'code',
        code_challenge_method: 'S256',
        code_challenge: expect.stringMatching(/^[\w-]{43}$/),
        state: expect.stringMatching(/^[0-9a-f]{64}$/),
        redirect_uri: callbackOf(stage.hub),
      })
      expect(await listed()).toEqual([])
      const callback = await giveAccess(url)
      expect(await listed()).toEqual([])
      const done = await comeBack(stage, callback)
      expect(done.status).toBe(303)
      const connections = await listed()
      expect(connections).toHaveLength(1)
      expect(connections[0]).toMatchObject({
        connector_id: 'json_api',
        status: 'active',
        display_name: 'Items',
      })
      const shown = await stage.people.asOwner('GET', `${INTENTS}/${intent_id}`)
      expect([done.headers.location, shown.body.state]).toEqual([
        `/console/data/connect/${intent_id}`,
        'completed',
      ])
      // The same answer a second time, and the same page reloaded, make nothing.
      const again = await comeBack(stage, callback)
      expect(again.status).toBe(400)
      expect(again.text).toContain('Not connected')
      expect(await lastFailure(stage)).toBe('oauth_state_invalid')
      expect(await listed()).toHaveLength(1)
      const events = (await eventsOf(stage.hub)).filter(({ object_id }) => object_id === intent_id)
      expect(events.map(({ event_type, status }) => `${event_type} ${status}`)).toEqual([
        'owner_agent.connection.initiate succeeded',
        'owner_agent.connection.authorize succeeded',
        'owner_agent.connection.complete succeeded',
      ])
    },
  )

  test('tokens are sealed, renewed before they end, and given back', async () => {
    const connection_id = await connect(stage)
    const source = await sourceOf(stage, connection_id)
    const first = await source.secret('access_token')
    expect(await stage.provider.isLive(first)).toBe(true)
    const kept = await everythingKept(stage.hub)
    expect(kept).not.toContain(first)
    expect(JSON.parse(await source.secret('oauth'))).toMatchObject({ refresh_token: expect.any(String) })
    expect(kept).not.toContain(
      (JSON.parse(await source.secret('oauth')) as { refresh_token: string }).refresh_token,
    )
    expect(await accessToken(source)).toBe(first)
    stage.clock.now = new Date(Date.now() + 3_590_000)
    const second = await accessToken(source)
    stage.clock.now = undefined
    expect(second).not.toBe(first)
    expect(await (await sourceOf(stage, connection_id)).secret('access_token')).toBe(second)
    const third = await renewAccessToken(source)
    expect(await stage.provider.isLive(third)).toBe(true)
    await revokeTokens(source)
    expect(await stage.provider.isLive(third)).toBe(false)
    await expect(renewAccessToken(source)).rejects.toMatchObject({
      name: 'SourceFault',
      code: 'needs_attention',
    })
  })

  test('a client with a secret is known by it, and the secret is sealed too', async () => {
    const redirect = callbackOf(stage.hub)
    await using own = await startProvider([redirect], { confidential: true })
    const { intent_id } = await stage.people.begin('json_api')
    const more = { url: own.list_url, issuer: own.issuer, client_secret: own.client_secret }
    const before = await countMade(stage.hub)
    const { url } = await goToProvider(stage, intent_id, more)
    const done = await comeBack(stage, await giveAccess(url))
    expect(done.status).toBe(303)
    expect(own.seen).toHaveLength(1)
    expect(await everythingKept(stage.hub)).not.toContain(own.client_secret)
    // It lies with the tokens that it belongs to, and nowhere else.
    expect((await countMade(stage.hub)).connection_secrets).toBe((before.connection_secrets ?? 0) + 1)
    const shown = await stage.people.asAgent('GET', `${INTENTS}/${intent_id}`)
    const source = await sourceOf(stage, shown.body.connection_id as string)
    expect(await own.isLive(await renewAccessToken(source))).toBe(true)
  })

  test('a revoked connection keeps no newer token', async () => {
    const connection_id = await connect(stage)
    const source = await sourceOf(stage, connection_id)
    const before = await source.secret('oauth')
    expect(
      (await stage.people.asAgent('POST', `/v1/owner/connections/${connection_id}/revoke`, {})).status,
    ).toBe(200)
    await source.replaceSecret('oauth', 'something newer')
    expect(await source.secret('oauth')).toBe(before)
  })
})
