import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { sql } from '../../src/platform/storage/database.ts'
import { ask } from '../external-agent/gate-hub.ts'
import { sendAsOwner } from '../harness/call-rest.ts'
import { verifies } from '../requirements/verifies.ts'
import { countMade } from './intents.fixture.ts'
import { giveAccess, startProvider } from './oauth-provider.fixture.ts'
import {
  callbackOf,
  comeBack,
  goToProvider,
  INTENTS,
  lastFailure,
  type OAuthStage,
  openStage,
  valuesOf,
} from './oauth-stage.fixture.ts'
import { signIn } from './owner-visitor.ts'

let stage: OAuthStage
beforeAll(async () => {
  stage = await openStage('sqlite')
})
afterAll(() => stage?.[Symbol.asyncDispose]())

/** Begins, does something, and sees that nothing was made, the intent is open again and the refusal is on record. */
async function fails(
  act: (intent_id: string, url: string) => Promise<{ status: number }>,
  wanted: [number, string],
) {
  const before = await countMade(stage.hub)
  const { intent_id } = await stage.people.begin('json_api')
  const { url } = await goToProvider(stage, intent_id)
  const { status } = await act(intent_id, url)
  expect([status, await lastFailure(stage)]).toEqual(wanted)
  expect(await countMade(stage.hub)).toEqual(before)
  return intent_id
}

describe('an authorisation that comes to nothing', () => {
  afterEach(() => {
    stage.clock.now = undefined
    stage.provider.break_list = undefined
    stage.provider.meanwhile = undefined
  })

  verifies('OWNR-057', 'a replayed, foreign or invented state makes nothing', async () => {
    await fails(
      async (_intent, url) => {
        const callback = await giveAccess(url)
        callback.searchParams.set('state', 'ab'.repeat(32))
        return comeBack(stage, callback)
      },
      [400, 'oauth_state_invalid'],
    )
    await fails(
      async (_intent, url) => {
        const { visitor } = await signIn(stage.hub)
        return comeBack(stage, await giveAccess(url), visitor)
      },
      [400, 'oauth_state_invalid'],
    )
    await fails(
      async (_intent, url) => {
        const callback = await giveAccess(url)
        callback.searchParams.append('state', 'cd'.repeat(32))
        return comeBack(stage, callback)
      },
      [400, 'oauth_state_invalid'],
    )
  })

  test('a state of another intent’s is not taken for this one’s, and stays good for its own', async () => {
    const other = await stage.people.begin('json_api')
    const mine = await stage.people.begin('json_api')
    const { url } = await goToProvider(stage, other.intent_id)
    const callback_url = (await giveAccess(url)).href
    const swapped = await stage.people.asOwner('POST', `/_ref/intents/${mine.intent_id}/complete`, {
      callback_url,
    })
    expect([swapped.status, swapped.body.error?.code]).toEqual([400, 'oauth_state_invalid'])
    for (const elsewhere of [
      callback_url.replace('http://localhost', 'http://evil.test'),
      callback_url.replace('/oauth/callback', '/oauth/callback/other'),
    ]) {
      const led = await stage.people.asOwner('POST', `/_ref/intents/${other.intent_id}/complete`, {
        callback_url: elsewhere,
      })
      expect([led.status, led.body.error?.code]).toEqual([400, 'oauth_state_invalid'])
    }
    // What a session began is finished by that session alone, not by another of the owner's.
    const byHub = await sendAsOwner(stage.hub, {
      method: 'POST',
      path: `/_ref/intents/${other.intent_id}/complete`,
      body: JSON.stringify({ callback_url }),
    })
    expect([byHub.status, JSON.parse(byHub.text).error.code]).toEqual([400, 'oauth_state_invalid'])
    const right = await stage.people.asOwner('POST', `/_ref/intents/${other.intent_id}/complete`, {
      callback_url,
    })
    expect([right.status, right.body.state]).toEqual([200, 'completed'])
  })

  test('a second start makes the first one’s answer worthless', async () => {
    const before = await countMade(stage.hub)
    const { intent_id } = await stage.people.begin('json_api')
    const first = await giveAccess((await goToProvider(stage, intent_id)).url)
    const second = await giveAccess((await goToProvider(stage, intent_id)).url)
    expect((await comeBack(stage, first)).status).toBe(400)
    expect(await countMade(stage.hub)).toEqual(before)
    expect((await comeBack(stage, second)).status).toBe(303)
  })

  test('two callbacks at once make one connection', async () => {
    const before = await countMade(stage.hub)
    const { intent_id } = await stage.people.begin('json_api')
    const callback = await giveAccess((await goToProvider(stage, intent_id)).url)
    const done = await Promise.all([
      comeBack(stage, callback),
      comeBack(stage, callback),
      comeBack(stage, callback),
    ])
    expect(done.map(({ status }) => status).toSorted()).toEqual([303, 400, 400])
    expect((await countMade(stage.hub)).connections).toBe((before.connections ?? 0) + 1)
  })

  test('a provider that says no', async () => {
    const intent_id = await fails(
      async (_intent, url) => comeBack(stage, await giveAccess(url, 'abort')),
      [409, 'source_refused'],
    )
    const { body } = await stage.people.asAgent('GET', `${INTENTS}/${intent_id}`)
    expect(body).toMatchObject({
      state: 'open',
      fault: 'The provider did not authorise the connection (access_denied).',
    })
  })

  test('a code that the provider did not give', async () => {
    await fails(
      async (_intent, url) => {
        const callback = await giveAccess(url)
        callback.searchParams.set('code', 'made-up')
        return comeBack(stage, callback)
      },
      [409, 'source_needs_attention'],
    )
  })

  test('an answer that comes too late, and one to an intent whose time is over', async () => {
    const began = new Date()
    stage.clock.now = began
    await fails(
      async (_intent, url) => {
        const callback = await giveAccess(url)
        stage.clock.now = new Date(began.getTime() + 15 * 60_000)
        return comeBack(stage, callback)
      },
      [400, 'oauth_state_invalid'],
    )
  })

  test('an answer to an intent whose own time is over', async () => {
    const { intent_id, expires_at } = await stage.people.begin('json_api')
    // At the home, since a session would be over by then.
    const step = async (name: string, input: object) => {
      const { status, body } = await ask(stage.hub, name, input, { way: 'direct', as: 'local' })
      type Told = { authorization_url: string; expires_at: string; error?: { code: string } }
      return { status, body: body as Told }
    }
    stage.clock.now = new Date(Date.parse(expires_at) - 60_000)
    const { body } = await step('owner_intent_authorize', { intent_id, values: valuesOf(stage) })
    // The way back is open no longer than the intent itself.
    expect(body.expires_at).toBe(expires_at)
    const callback = await giveAccess(body.authorization_url)
    stage.clock.now = new Date(expires_at)
    for (const [act, more] of [
      ['owner_intent_complete', { intent_id }],
      ['owner_authorization_finish', {}],
    ] as const) {
      const done = await step(act, { ...more, callback_url: callback.href })
      expect([act, done.status, done.body.error?.code]).toEqual([act, 410, 'intent_expired'])
    }
  })

  test('an answer to an intent that was cancelled meanwhile', async () => {
    const intent_id = await fails(
      async (begun, url) => {
        const callback = await giveAccess(url)
        await stage.people.asAgent('POST', `${INTENTS}/${begun}/cancel`, {})
        return comeBack(stage, callback)
      },
      [400, 'oauth_state_invalid'],
    )
    // What waited for the answer, the secrets that were typed among it, went with the intent.
    const kept = sql<object>('SELECT sealed, state_hash FROM connection_intents WHERE intent_id = ?')
    expect(await stage.hub.hub.db.get(kept, intent_id)).toEqual({ sealed: null, state_hash: null })
  })

  test('a source that refuses the token: the tokens are given back', async () => {
    stage.provider.break_list = 403
    await fails(async (_intent, url) => comeBack(stage, await giveAccess(url)), [409, 'source_refused'])
    const token = stage.provider.seen.at(-1) as string
    expect(token).not.toBe('')
    expect(await stage.provider.isLive(token)).toBe(false)
  })

  test('an intent that is over before the source has answered: the tokens are given back', async () => {
    await fails(
      async (intent_id, url) => {
        stage.provider.meanwhile = () => stage.people.asAgent('POST', `${INTENTS}/${intent_id}/cancel`, {})
        return comeBack(stage, await giveAccess(url))
      },
      [409, 'intent_ended'],
    )
    const token = stage.provider.seen.at(-1) as string
    expect(token).not.toBe('')
    // They are given back beside the answer, which does not wait for a provider.
    await vi.waitFor(async () => expect(await stage.provider.isLive(token)).toBe(false), 10_000)
  })

  test('whoever is not signed in finishes nothing, even with the right answer', async () => {
    const before = await countMade(stage.hub)
    const { intent_id } = await stage.people.begin('json_api')
    const callback = await giveAccess((await goToProvider(stage, intent_id)).url)
    const path = `/owner/intents/finish${callback.search}`
    const anonymous = await stage.people.owner.ask({ path, headers: { 'sec-fetch-site': 'cross-site' } })
    expect(anonymous.status).toBe(401)
    const agent = await stage.people.asAgent('POST', '/_ref/intents/callback', {
      callback_url: callback.href,
    })
    expect([agent.status, agent.body.error?.code]).toEqual([401, 'authentication_error'])
    expect(await countMade(stage.hub)).toEqual(before)
    expect((await comeBack(stage, callback)).status).toBe(303)
  })

  test('what the owner types takes no provider’s place', async () => {
    const { intent_id } = await stage.people.begin('json_api')
    const done = await stage.people.asOwner('POST', `/_ref/intents/${intent_id}/complete`, {
      values: valuesOf(stage),
    })
    expect([done.status, done.body.error?.code]).toEqual([409, 'intent_needs_other_step'])
  })

  test('a provider that is not there, on the way to it and on the way back', async () => {
    const { intent_id } = await stage.people.begin('json_api')
    const down = await goToProvider(stage, intent_id, { issuer: 'http://127.0.0.1:9' })
    expect([down.status, await lastFailure(stage)]).toEqual([502, 'source_unreachable'])
    expect(down.text).toContain('The source could not be reached.')
    const plain = await goToProvider(stage, intent_id, { issuer: 'http://provider.example' })
    expect([plain.status, await lastFailure(stage)]).toEqual([409, 'source_refused'])
    const closed = await goToProvider(stage, intent_id, { issuer: 'https://192.168.7.7' })
    expect([closed.status, await lastFailure(stage)]).toEqual([409, 'source_refused'])
    const gone = await startProvider([callbackOf(stage.hub)])
    const { url } = await goToProvider(stage, intent_id, { issuer: gone.issuer })
    const callback = await giveAccess(url)
    await gone[Symbol.asyncDispose]()
    expect([(await comeBack(stage, callback)).status, await lastFailure(stage)]).toEqual([
      502,
      'source_unreachable',
    ])
  })
})
