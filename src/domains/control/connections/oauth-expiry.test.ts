import { expect, test } from 'vitest'
import type { Source } from '../connectors/connector.ts'
import { accessToken, isFresh, OAUTH_SECRET, tokensOf } from './oauth-tokens.ts'

const NOW = new Date('2026-11-02T10:00:00.000Z')
const YEAR = 31_536_000
const at = (seconds: number) => new Date(NOW.getTime() + seconds * 1_000).toISOString()

test.each([
  [YEAR - 1, YEAR - 1],
  [YEAR, YEAR],
  [YEAR + 1, YEAR],
  [Number.MAX_SAFE_INTEGER, YEAR],
  [Number.MAX_VALUE, YEAR],
  [Number.POSITIVE_INFINITY, YEAR],
  [0, 0],
  [0.5, 0.5],
  [-1, 0],
  [-Number.MAX_VALUE, 0],
  [Number.NEGATIVE_INFINITY, 0],
  [Number.NaN, 0],
])('a token that is said to last %d s is kept for %d s', (expires_in, kept) => {
  expect(tokensOf({ access_token: 'a', expires_in }, NOW)).toMatchObject({
    access_token: 'a',
    expires_at: at(kept),
  })
})

test.each([
  [5, 4],
  [299, 239.2],
])('a token that lives for %d s is renewed after %d', (expires_in, after) => {
  const credential = { issuer: 'https://id.example', client_id: 'c', scope: '', refresh_token: 'r' }
  const kept = { ...credential, ...tokensOf({ access_token: 'a', expires_in }, NOW) }
  const moment = (ms: number) => new Date(NOW.getTime() + after * 1_000 + ms)
  expect([isFresh(kept, moment(-1)), isFresh(kept, moment(0))]).toEqual([true, false])
})

test.each([300, 3_600])('a token that lives for %d s is renewed in the last minute', (expires_in) => {
  expect(tokensOf({ access_token: 'a', expires_in }, NOW)).not.toHaveProperty('renew_at')
})

test('a token of which no end is said is kept without one', () => {
  expect(tokensOf({ access_token: 'a' }, NOW)).toEqual({ access_token: 'a' })
})

test.each([
  [60_001, 'kept'],
  [60_000, 'renewed'],
  [59_999, 'renewed'],
])('with %i ms left a token is %s', async (left_ms, expected) => {
  const expires_at = new Date(NOW.getTime() + left_ms).toISOString()
  const credential = { issuer: 'https://id.example', client_id: 'c', scope: '', access_token: 'kept' }
  const source = {
    now: () => NOW,
    secret: async (name: string) =>
      name === OAUTH_SECRET ? JSON.stringify({ ...credential, refresh_token: 'r', expires_at }) : '',
    fetch: async () => Promise.reject(new Error('asked for a new one')),
  } as unknown as Source
  const answer = await accessToken(source).catch(() => 'renewed')
  expect(answer).toBe(expected)
})
