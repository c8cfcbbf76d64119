import { describe, expect, test } from 'vitest'
import { SourceFault } from '../connector.ts'
import { collectBrokenOff, collectPages, openTestSource } from '../source.fixture.ts'
import { startWebServer } from '../web-server.fixture.ts'
import { feedCollector } from './collector.ts'

const rss = (items: string, title = 'News &amp; views') =>
  `<?xml version="1.0"?><rss version="2.0"><channel><title>${title}</title>${items}</channel></rss>`
const item = (id: number, title = `Item ${id}`) =>
  `<item><guid isPermaLink="false">g${id}</guid><title>${title}</title><link>/n/${id}</link>` +
  `<pubDate>Tue, 10 Jun 2025 04:00:00 GMT</pubDate><description>&lt;p&gt;Body &lt;b&gt;${id}&lt;/b&gt;</description></item>`
const items = (count: number) => Array.from({ length: count }, (_, id) => item(id)).join('')

/** A feed that can be changed, and answers 304 to who has it. */
async function startFeed(first: string, type = 'application/rss+xml') {
  const held = { body: first, tag: 1 }
  const server = await startWebServer(({ headers }, response) => {
    const etag = `"v${held.tag}"`
    if (headers['if-none-match'] === etag) return response.writeHead(304).end()
    response.writeHead(200, { 'content-type': type, etag, 'last-modified': 'Tue, 10 Jun 2025 04:00:00 GMT' })
    response.end(held.body)
  })
  const change = (body: string) => Object.assign(held, { body, tag: held.tag + 1 })
  return Object.assign(server, { change })
}

const fail = async (body: string) => {
  await using feed = await startFeed(body)
  await using source = openTestSource({ settings: { url: feed.url } })
  return await collectPages(feedCollector, source).then(
    () => 'nothing failed',
    (error: unknown) => (error instanceof SourceFault ? error.code : error),
  )
}

const readFirst = async (body: string) => {
  await using feed = await startFeed(body)
  await using source = openTestSource({ settings: { url: `${feed.url}/dir/feed` } })
  const { records } = await collectPages(feedCollector, source)
  const [[key, data] = []] = [...records]
  return { key, data, base: feed.url }
}

describe('a feed', () => {
  test('is read when it has changed, and only what has changed in it', async () => {
    await using feed = await startFeed(rss(items(3)))
    await using source = openTestSource({ settings: { url: `${feed.url}/feed.xml` } })
    expect(await feedCollector.probe(source)).toEqual({ display_name: 'News & views' })
    const first = await collectPages(feedCollector, source)
    expect([...first.records.keys()]).toEqual(['items:g0', 'items:g1', 'items:g2'])
    expect(first.pages[0]).toMatchObject({ total: 3 })
    expect(first.records.get('items:g1')).toEqual({
      title: 'Item 1',
      url: `${feed.url}/n/1`,
      authors: [],
      published_at: '2025-06-10T04:00:00.000Z',
      updated_at: null,
      text: 'Body 1',
      is_cut: false,
      categories: [],
      enclosures: [],
      feed_title: 'News & views',
    })
    const again = await collectPages(feedCollector, source, { before: first })
    expect(again.pages).toEqual([])
    expect(feed.asked.at(-1)?.headers).toMatchObject({ 'if-none-match': '"v1"' })
    feed.change(rss(item(1, 'Changed') + item(2) + item(3)))
    const later = await collectPages(feedCollector, source, { before: again })
    expect(later.upserted).toEqual(['items:g1', 'items:g3'])
    // What has fallen out of the feed is kept.
    expect([...later.records.keys()]).toContain('items:g0')
  })

  test('goes on where it was broken off, without asking for less than all of it', async () => {
    await using feed = await startFeed(rss(items(1_201)))
    await using source = openTestSource({ settings: { url: feed.url } })
    const { whole, broken } = await collectBrokenOff(feedCollector, source)
    expect(whole.pages.map(({ upserts }) => upserts.length)).toEqual([500, 500, 201])
    expect(broken).toHaveLength(2)
    for (const { records, upserted } of broken) {
      expect(records).toEqual(whole.records)
      expect(new Set(upserted).size).toBe(upserted.length)
    }
  })

  test('of 20,000 entries is read while the hub goes on', async () => {
    await using feed = await startFeed(rss(items(20_000)))
    await using source = openTestSource({ settings: { url: feed.url } })
    let turns = 0
    const turning = setInterval(() => turns++, 1)
    const { records, pages } = await collectPages(feedCollector, source)
    clearInterval(turning)
    expect([records.size, pages.length]).toEqual([20_000, 41])
    expect(turns).toBeGreaterThan(5)
  })

  test('may be Atom, RDF or JSON', async () => {
    const atom =
      '<feed xmlns="http://www.w3.org/2005/Atom"><title type="html">A &lt;b>feed</title><id>i</id>' +
      '<entry><id>urn:1</id><title type="html">&lt;b>One</title><link href="one"/><updated>2025-01-01T00:00:00Z' +
      '</updated><content type="html">&lt;p>Hi &amp;amp; bye</content><author><name>N</name></author></entry></feed>'
    const json = JSON.stringify({
      version: 'https://jsonfeed.org/version/1.1',
      title: 'J',
      items: [{ id: '1', url: 'javascript:alert(1)', title: 't', content_text: 'c <b>', tags: ['x'] }],
    })
    const rdf =
      '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/">' +
      '<channel rdf:about="http://e/"><title>R</title></channel>' +
      '<item rdf:about="http://e/1"><title>t</title><link>http://e/1</link></item></rdf:RDF>'
    const first = await readFirst(atom)
    expect(first).toMatchObject({
      key: 'items:urn:1',
      data: {
        title: 'One',
        text: 'Hi & bye',
        authors: ['N'],
        url: `${first.base}/dir/one`,
        feed_title: 'A feed',
      },
    })
    expect(await readFirst(json)).toMatchObject({
      key: 'items:1',
      data: { url: null, text: 'c <b>', categories: ['x'] },
    })
    expect(await readFirst(rdf)).toMatchObject({ key: 'items:http://e/1', data: { title: 't' } })
  })

  test('whose address is secret shows it nowhere', async () => {
    await using feed = await startFeed(rss('<item><title>t</title><link>page</link></item>'))
    const secret_url = `${feed.url}/private/sentinel-9f2c/feed.xml`
    await using source = openTestSource({ secrets: { secret_url } })
    const { pages } = await collectPages(feedCollector, source)
    expect(feed.asked[0]?.path).toContain('sentinel')
    expect(JSON.stringify([pages, source.logged])).not.toContain('sentinel')
  })
})

describe('what is sent instead of a feed', () => {
  const laughs = `<!DOCTYPE r [<!ENTITY a "ha">${Array.from(
    { length: 9 },
    (_, n) => `<!ENTITY ${'bcdefghij'[n]} "${`&${'abcdefghi'[n]};`.repeat(10)}">`,
  ).join('')}]>`
  test('entities that a feed defines are not expanded', async () => {
    await using feed = await startFeed(laughs + rss(item(1, '&j;')))
    await using source = openTestSource({ settings: { url: feed.url } })
    const { records } = await collectPages(feedCollector, source)
    expect(JSON.stringify([...records]).length).toBeLessThan(2_000)
  })

  test('nor are files read for it', async () => {
    await using feed = await startFeed(
      `<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]>${rss(item(1, '&x;'))}`,
    )
    await using source = openTestSource({ settings: { url: feed.url } })
    const kept = await collectPages(feedCollector, source).catch(() => undefined)
    expect(JSON.stringify([...(kept?.records ?? [])])).not.toContain('root:')
  })

  test.each([
    ['nothing', ''],
    ['a page', '<!doctype html><html><body>Sign in</body></html>'],
    ['a feed that was cut off', rss(items(3)).slice(0, 200)],
    ['nested without end', `${'<a>'.repeat(100_000)}`],
  ])('%s is a bad answer', async (_, body) => {
    expect(await fail(body)).toBe('bad_answer')
  })

  test('a feed that is too large is refused, by its bytes and by its entries', async () => {
    expect(await fail(rss(item(1, 'x'.repeat(6_000_000))))).toBe('too_large')
    expect(await fail(rss('<item><title>a</title></item>'.repeat(20_001)))).toBe('too_large')
  })

  test.each([
    [429, 'rate_limited'],
    [401, 'needs_attention'],
    [403, 'refused'],
    [404, 'not_found'],
    [500, 'unreachable'],
    [418, 'bad_answer'],
  ])('the status %d means %s', async (status, code) => {
    await using server = await startWebServer((_, response) =>
      response.writeHead(status, { 'retry-after': '77' }).end('sentinel'),
    )
    await using source = openTestSource({ settings: { url: server.url } })
    const fault = await feedCollector.probe(source).catch((error: SourceFault) => error)
    expect(fault).toMatchObject({ code })
    expect(String((fault as SourceFault).message)).not.toContain('sentinel')
    if (status === 429) expect(fault).toMatchObject({ is_passing: true, retry_after_seconds: 77 })
  })

  test('reading stops at once when the run is cancelled', async () => {
    await using feed = await startFeed(rss(items(15_000)))
    const cancel = new AbortController()
    await using source = openTestSource({ settings: { url: feed.url }, signal: cancel.signal })
    const work = collectPages(feedCollector, source).catch((error: unknown) => error)
    while (feed.asked.length === 0) await new Promise((resolve) => setTimeout(resolve, 2))
    cancel.abort(new Error('enough'))
    expect(await work).toEqual(new Error('enough'))
  })
})
