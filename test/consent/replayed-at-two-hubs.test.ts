import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type RunningHub, startHub } from '../../src/surfaces/http/start-hub.ts'
import type { Visitor } from '../control/owner-visitor.ts'
import { DATABASES, type TestHub } from '../harness/test-hub.ts'
import {
  allow,
  askToComeIn,
  connect,
  exchange,
  forgetAttempts,
  MEMBER,
  movedClock,
  newestConsent,
  read,
  refresh,
  startSignInHub,
  type Tokens,
  toolsOf,
} from './sign-in.fixture.ts'

describe.each(DATABASES)('at two hubs of a home, on %s', (database) => {
  let hub: TestHub
  let owner: Visitor
  let other: RunningHub
  const clock = movedClock()
  beforeEach(async () => {
    ;({ hub, owner } = await startSignInHub({ database, clock }))
    other = await startHub({ ...hub.options, host: '127.0.0.1', port: 0 })
  })
  afterEach(async () => {
    await other.stop()
    await hub.close()
  })

  async function codeOf() {
    const asked = await askToComeIn(hub)
    const { location } = await allow(owner, asked.path, MEMBER)
    return { asked, code: location?.searchParams.get('code') ?? '' }
  }

  /** Whatever was given out for it opens nothing, at either. */
  async function expectEnded(answers: readonly { status: number; text: string }[]) {
    expect(await newestConsent(hub)).toMatchObject({ state: 'ended', end_reason: 'reused' })
    for (const given of answers.filter(({ status }) => status === 200)) {
      const { access_token }: Tokens = read(given)
      expect(await Promise.all([hub, other].map((one) => toolsOf(one, access_token)))).toEqual([401, 401])
    }
  }

  test('a code that comes to both ends what it gave, one after the other or at once', async () => {
    const { asked, code } = await codeOf()
    const first = await exchange(hub, asked, code)
    expect(first.status).toBe(200)
    const again = await exchange(other, asked, code)
    expect([again.status, read(again).error]).toEqual([400, 'invalid_grant'])
    await expectEnded([first])
    for (let at = 0; at < 8; at++) {
      await forgetAttempts(hub)
      const next = await codeOf()
      const both = await Promise.all([hub, other].map((one) => exchange(one, next.asked, next.code)))
      expect(both.filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1)
      await expectEnded(both)
    }
  })

  test('a refresh token gets the same answer within the grace, and ends the family after it', async () => {
    const { tokens, client_id } = await connect(hub, owner, MEMBER)
    const both = await Promise.all([hub, other].map((one) => refresh(one, client_id, tokens.refresh_token)))
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    const [one, two] = both.map(read)
    expect([one.access_token, one.refresh_token]).toEqual([two.access_token, two.refresh_token])
    clock.forward(31)
    const late = await refresh(other, client_id, tokens.refresh_token)
    expect([late.status, read(late).error]).toEqual([400, 'invalid_grant'])
    await expectEnded(both)
  })
})
