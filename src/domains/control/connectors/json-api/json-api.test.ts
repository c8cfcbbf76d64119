import { describe, expect, test } from 'vitest'
import type { SourceFault } from '../connector.ts'
import { collectBrokenOff, collectPages, openTestSource } from '../source.fixture.ts'
import { type ApiServer, startApi } from './api-server.fixture.ts'
import { jsonApiCollector } from './collector.ts'

interface Thing {
  readonly id: number
  readonly updated: string
  readonly deleted?: boolean
}
const things = (count: number): Thing[] =>
  Array.from({ length: count }, (_, id) => ({
    id,
    updated: new Date(1_700_000_000_000 + id * 1_000).toISOString(),
  }))

/** A list in pages, by a cursor that is the place to go on from. */
const paged = (list: () => readonly Thing[], size: number) => (url: URL) => {
  const since = url.searchParams.get('since') ?? ''
  const wanted = list().filter(({ updated }) => updated > since)
  const from = Number(url.searchParams.get('cursor') ?? 0)
  const next_cursor = from + size < wanted.length ? String(from + size) : null
  return { body: { data: wanted.slice(from, from + size), next_cursor } }
}

async function openApi(server: ApiServer, settings: Record<string, string> = {}) {
  const { credential, ...tokens } = await server.authorise()
  const source = openTestSource({
    settings: { url: `${server.api.url}/things`, ...settings },
    secrets: { oauth: credential },
  })
  return { source, ...tokens }
}
const faultOf = async (answer: Parameters<typeof startApi>[0]) => {
  await using server = await startApi(answer)
  const { source } = await openApi(server)
  const fault = await collectPages(jsonApiCollector, source).catch((error: SourceFault) => error)
  await source[Symbol.asyncDispose]()
  return (fault as SourceFault).code
}

describe('a list behind OAuth', () => {
  test('is read page by page, and goes on where it was broken off', async () => {
    await using server = await startApi(paged(() => things(250), 100))
    const { source } = await openApi(server)
    expect(await jsonApiCollector.probe(source)).toEqual({ display_name: '127.0.0.1' })
    const { whole, broken } = await collectBrokenOff(jsonApiCollector, source)
    expect([whole.records.size, broken.length]).toEqual([250, 2])
    for (const { records, upserted } of broken) {
      expect(records).toEqual(whole.records)
      expect(new Set(upserted).size).toBe(upserted.length)
    }
    await source[Symbol.asyncDispose]()
  })

  test('is later asked only for what has changed; what is marked as deleted is removed', async () => {
    let list = things(30)
    await using server = await startApi(paged(() => list, 10))
    const { source } = await openApi(server, { updated_field: 'updated', since_parameter: 'since' })
    const first = await collectPages(jsonApiCollector, source)
    expect(first.checkpoint).toEqual({ since: list.at(-1)?.updated })
    list = [
      ...list.slice(1),
      { id: 0, updated: '2030-01-01T00:00:00.000Z', deleted: true },
      { id: 99, updated: '2030-01-02T00:00:00.000Z' },
    ]
    const later = await collectPages(jsonApiCollector, source, { before: first })
    expect([later.upserted, later.removed]).toEqual([['records:99'], ['records:0']])
    expect((await collectPages(jsonApiCollector, source, { before: later })).upserted).toEqual([])
    await source[Symbol.asyncDispose]()
  })

  test.each([400, 404, 410, 422])(
    'is read anew where the source has forgotten its cursor (%i)',
    async (status) => {
      let age = 1
      const all = things(30)
      await using server = await startApi((url) => {
        const [of, from] = (url.searchParams.get('cursor') ?? `${age}-0`).split('-').map(Number)
        if (of !== age) return { status, body: { error: 'no such cursor' } }
        const next = Number(from) + 10
        return {
          body: {
            data: all.slice(next - 10, next),
            next_cursor: next < all.length ? `${age}-${next}` : null,
          },
        }
      })
      const { source } = await openApi(server)
      const first = await collectPages(jsonApiCollector, source, { max_pages: 1 })
      age = 2
      const { records, checkpoint } = await collectPages(jsonApiCollector, source, { before: first })
      expect([records.size, checkpoint]).toEqual([30, {}])
      await source[Symbol.asyncDispose]()
    },
  )

  test('is not read anew where it asks for patience, or is gone altogether', async () => {
    for (const [status, asked] of [
      [429, 1],
      [503, 1],
      [404, 2],
    ] as const) {
      let answers = 0
      await using server = await startApi((url) => {
        if (url.searchParams.get('cursor') === null && answers === 0) return paged(() => things(30), 10)(url)
        answers++
        return { status, body: {} }
      })
      const { source } = await openApi(server)
      const before = await collectPages(jsonApiCollector, source, { max_pages: 1 })
      await expect(collectPages(jsonApiCollector, source, { before })).rejects.toMatchObject({
        name: 'SourceFault',
      })
      expect(answers).toBe(asked)
      await source[Symbol.asyncDispose]()
    }
  })

  test('may have pages larger than ours, and name the next one by its address', async () => {
    const all = things(1_300)
    await using server = await startApi((url) => {
      const from = Number(url.searchParams.get('from') ?? 0)
      const next = from + 650 < all.length ? `</things?from=${from + 650}>; rel="next", </x>; rel="last"` : ''
      return { body: all.slice(from, from + 650), headers: { link: next } }
    })
    const { source } = await openApi(server)
    const { whole, broken } = await collectBrokenOff(jsonApiCollector, source)
    expect(whole.pages.map(({ upserts }) => upserts.length)).toEqual([500, 150, 500, 150])
    for (const { records } of broken) expect(records).toEqual(whole.records)
    await source[Symbol.asyncDispose]()
  })
})

describe('tokens', () => {
  test('one that ends on the way is renewed, kept, and shown nowhere', async () => {
    let asked = 0
    let expire: (() => Promise<void>) | undefined
    await using server = await startApi((url) => {
      if (++asked === 2) void expire?.()
      return paged(() => things(60), 10)(url)
    })
    const { source, access_token, refresh_token } = await openApi(server)
    expire = () => server.expire(access_token)
    const { records, pages } = await collectPages(jsonApiCollector, source)
    expect(records.size).toBe(60)
    const kept = JSON.parse(source.secrets.get('oauth') ?? '{}') as Record<string, string>
    expect(kept.access_token).not.toBe(access_token)
    expect(kept.refresh_token).not.toBe(refresh_token)
    const told = JSON.stringify([pages, source.logged])
    for (const token of [access_token, refresh_token, kept.access_token, kept.refresh_token]) {
      expect(told).not.toContain(token)
    }
    await source[Symbol.asyncDispose]()
  })

  test('where no new one is given, the owner is needed', async () => {
    await using server = await startApi(paged(() => things(3), 10))
    const { source, access_token } = await openApi(server)
    await server.expire(access_token)
    const broken = JSON.parse(source.secrets.get('oauth') ?? '{}') as object
    source.secrets.set('oauth', JSON.stringify({ ...broken, refresh_token: 'sentinel-refresh' }))
    const fault = await collectPages(jsonApiCollector, source).catch((error: SourceFault) => error)
    expect(fault).toMatchObject({ code: 'needs_attention' })
    expect(String((fault as Error).stack)).not.toContain('sentinel')
    await source[Symbol.asyncDispose]()
  })

  test('are given back when the connection is revoked', async () => {
    await using server = await startApi(paged(() => things(3), 10))
    const { source, access_token, refresh_token } = await openApi(server)
    expect([await server.isLive(access_token), await server.isLive(refresh_token)]).toEqual([true, true])
    await jsonApiCollector.revoke?.(source)
    expect([await server.isLive(access_token), await server.isLive(refresh_token)]).toEqual([false, false])
    await source[Symbol.asyncDispose]()
  })

  test('go nowhere but to the list: not to a next page elsewhere, nor over plain http', async () => {
    await using server = await startApi(() => ({ body: { data: [], next_cursor: 'http://127.0.0.1:9/x' } }))
    const { source } = await openApi(server)
    await expect(collectPages(jsonApiCollector, source)).rejects.toMatchObject({ code: 'bad_answer' })
    await source[Symbol.asyncDispose]()
    await using plain = openTestSource({
      settings: { url: 'http://example.org/x' },
      secrets: { oauth: '{}' },
    })
    await expect(jsonApiCollector.probe(plain)).rejects.toMatchObject({ code: 'needs_attention' })
  })
})

describe('what is sent instead of a list', () => {
  test.each([
    ['no JSON', '<html>', 'bad_answer'],
    ['no list', { data: 7 }, 'bad_answer'],
    ['records without keys', { data: [{ name: 'x' }] }, 'bad_answer'],
    ['no records at all', { data: ['x', null] }, 'bad_answer'],
    ['a cursor that is none', { data: [], next_cursor: { a: 1 } }, 'bad_answer'],
    ['pages in a circle', { data: [], next_cursor: 'same' }, 'bad_answer'],
    ['too much', { data: [{ id: 1, text: 'x'.repeat(9_000_000) }] }, 'too_large'],
    ['too many', { data: Array.from({ length: 10_001 }, (_, id) => ({ id })) }, 'too_large'],
  ])('%s', async (_, body, code) => {
    expect(await faultOf(() => ({ body }))).toBe(code)
  })

  test('a list that asks for patience is asked again later', async () => {
    expect(await faultOf(() => ({ status: 429, headers: { 'retry-after': '5' }, body: '' }))).toBe(
      'rate_limited',
    )
  })
})
