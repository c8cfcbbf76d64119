import { type CollectedRecord, type Json, type JsonObject, SourceFault } from '../connector.ts'
import { stableKey } from '../page-changes.ts'
import type { ParseResult } from '../parse-job.ts'
import { cutLine, cutText, findTime, renderPlainText } from '../source-text.ts'

const MAX_ITEMS = 20_000
const MAX_PARTS = 50

/** What the kinds of feeds have in common, each under one of several names. */
interface Item {
  readonly id?: string
  readonly guid?: { readonly value?: string }
  readonly rdf?: { readonly about?: string }
  readonly link?: string
  readonly url?: string
  readonly links?: readonly { readonly href?: string; readonly rel?: string }[]
  readonly title?: Text
  readonly description?: Text
  readonly summary?: Text
  readonly content?: Text & { readonly encoded?: string }
  readonly content_html?: string
  readonly content_text?: string
  readonly authors?: readonly (string | { readonly name?: string; readonly email?: string })[]
  readonly categories?: readonly { readonly name?: string; readonly term?: string }[]
  readonly tags?: readonly string[]
  readonly enclosures?: readonly { readonly url?: string; readonly type?: string; readonly length?: number }[]
  readonly pubDate?: string
  readonly published?: string
  readonly date_published?: string
  readonly updated?: string
  readonly date_modified?: string
  readonly dc?: { readonly creators?: readonly string[]; readonly dates?: readonly string[] }
}
type Text = string | { readonly value?: string }
interface Feed {
  readonly title?: Text
  readonly items?: readonly Item[]
  readonly entries?: readonly Item[]
}

/** Reads a feed of any kind. Entities that a document defines for itself are never expanded. */
export async function parseFeedText(text: string, url: string): Promise<ParseResult> {
  const feed = await readFeed(text)
  const items = feed.items ?? feed.entries ?? []
  if (items.length > MAX_ITEMS) {
    throw new SourceFault('too_large', `The feed has more than ${MAX_ITEMS} entries.`)
  }
  const title = cutLine(renderPlainText(textOf(feed.title)), 200)
  const records = new Map<string, CollectedRecord>()
  for (const item of items) {
    const record = toRecord(item, url, title)
    // A feed that names two entries alike has one of them: the first, which is the newest.
    if (!records.has(record.key)) records.set(record.key, record)
  }
  return { records: [...records.values()], ...(title !== '' && { title }) }
}

async function readFeed(text: string): Promise<Feed> {
  const { parseFeed } = await import('feedsmith')
  try {
    return parseFeed(text).feed as Feed
  } catch {
    throw new SourceFault('bad_answer', 'The source sent something that is not a feed.')
  }
}

function toRecord(item: Item, base: string, feed_title: string): CollectedRecord {
  const url = linkOf(item, base)
  const title = cutLine(renderPlainText(textOf(item.title)))
  const raw = item.content_text ?? renderPlainText(bodyOf(item))
  const { text, is_cut } = cutText(raw)
  const published_at = findTime(
    item.pubDate ?? item.published ?? item.date_published ?? item.dc?.dates?.[0] ?? item.updated,
  )
  const id = item.guid?.value ?? item.id ?? item.rdf?.about ?? url
  const data: JsonObject = {
    title,
    url,
    authors: authorsOf(item),
    published_at,
    updated_at: findTime(item.updated ?? item.date_modified),
    text,
    is_cut,
    categories: categoriesOf(item),
    enclosures: enclosuresOf(item, base),
    feed_title,
  }
  return { key: stableKey(id ?? `${title}\n${published_at ?? text}`), data }
}

function bodyOf(item: Item): string {
  const { content } = item
  const encoded = typeof content === 'object' ? content.encoded : undefined
  const candidates = [
    encoded,
    item.content_html,
    textOf(content),
    textOf(item.description),
    textOf(item.summary),
  ]
  return candidates.find((text) => text !== undefined && text !== '') ?? ''
}

function textOf(text: Text | undefined): string {
  return typeof text === 'string' ? text : (text?.value ?? '')
}

function linkOf({ link, url, links = [] }: Item, base: string): string | null {
  const listed = links.slice(0, MAX_PARTS).find(({ rel = 'alternate' }) => rel === 'alternate')?.href
  return webAddress(link ?? url ?? listed, base)
}

/** Links are kept where they lead to the web: a reader may open them. */
function webAddress(text: string | undefined, base: string): string | null {
  const url = text === undefined ? null : URL.parse(text.trim(), base)
  return url && /^https?:$/.test(url.protocol) ? url.href.slice(0, 2_000) : null
}

function authorsOf({ authors = [], dc }: Item): Json {
  const names = authors.map((author) => (typeof author === 'string' ? author : (author.name ?? author.email)))
  const all = [...names, ...(dc?.creators ?? [])].slice(0, MAX_PARTS)
  return all.filter((name) => name !== undefined).map((name) => cutLine(name, 200))
}

function categoriesOf({ categories = [], tags = [] }: Item): Json {
  const all = [...categories.map(({ name, term }) => name ?? term), ...tags].slice(0, MAX_PARTS)
  return all.filter((name) => name !== undefined).map((name) => cutLine(name, 200))
}

function enclosuresOf({ enclosures = [] }: Item, base: string): Json {
  return enclosures.slice(0, MAX_PARTS).map(({ url, type = '', length }) => ({
    url: webAddress(url, base),
    type: cutLine(type, 100),
    length_bytes: typeof length === 'number' && Number.isSafeInteger(length) ? length : null,
  }))
}
