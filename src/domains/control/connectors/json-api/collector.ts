import { isSafeAddress } from '../../connections/oauth-provider.ts'
import { accessToken, renewAccessToken, revokeTokens } from '../../connections/oauth-tokens.ts'
import {
  type Collector,
  type Json,
  type Page,
  type Source,
  type SourceAnswer,
  SourceFault,
} from '../connector.ts'
import { MAX_PAGE_RECORDS } from '../guard-collector.ts'
import { findText } from '../page-changes.ts'
import { checkAnswer } from '../source-faults.ts'
import { type ApiPage, type ApiShape, laterOf, readPage, shapeOf } from './read-page.ts'

const STREAM = 'records'
const MAX_PAGES = 10_000
const MAX_PAGE_BYTES = 8 * 1024 * 1024

/** Reads a paged list from an API that the owner has given access to. */
export const jsonApiCollector: Collector = {
  async probe(source) {
    const url = listUrl(source)
    readPage(await openAsker(source)(url), shapeOf(source.settings))
    return { display_name: url.hostname }
  },
  collect: collectPages,
  revoke: revokeTokens,
}

/** How far a run has come: where it goes on, since when it asks, and the newest change that it has met. */
interface Marks {
  readonly next: string | undefined
  readonly since: string | undefined
  readonly newest: string | undefined
}

async function* collectPages(source: Source): AsyncGenerator<Page> {
  const shape = shapeOf(source.settings)
  const ask = openAsker(source)
  let marks = readMarks(source.checkpoint)
  const seen = new Set<string>()
  for (let count = 0; count < MAX_PAGES; count++) {
    const url = pageUrl(source, shape, marks)
    if (seen.has(url.href)) throw new SourceFault('bad_answer', 'The pages of the source lead in a circle.')
    seen.add(url.href)
    let page: ApiPage
    try {
      page = readPage(await ask(url), shape)
    } catch (error) {
      if (count > 0 || !isStale(marks, error)) throw error
      marks = { next: undefined, since: marks.since, newest: undefined }
      continue
    }
    const after = marksAfter(marks, page)
    yield* inParts(page, marks, after)
    if (page.next === undefined) return
    marks = after
  }
  throw new SourceFault('too_large', `The source has more than ${MAX_PAGES} pages.`)
}

/**
 * Whether the place at which an earlier run broke off is there no more: many sources forget their cursors within
 * hours. The list is then read from its beginning, or no run would ever succeed again.
 */
function isStale({ next }: Marks, error: unknown): boolean {
  return next !== undefined && error instanceof SourceFault && /^(?:bad_answer|not_found)$/.test(error.code)
}

/** What is larger than a page of ours is kept in parts. Until the last one is in, it is asked for again. */
function* inParts({ upserts, removals, bytes }: ApiPage, before: Marks, after: Marks): Generator<Page> {
  const parts = Math.max(1, Math.ceil((upserts.length + removals.length) / MAX_PAGE_RECORDS))
  for (let part = 0; part < parts; part++) {
    const from = part * MAX_PAGE_RECORDS
    const end = from + MAX_PAGE_RECORDS
    yield {
      stream: STREAM,
      upserts: upserts.slice(from, end),
      removals: removals.slice(Math.max(0, from - upserts.length), Math.max(0, end - upserts.length)),
      bytes: Math.round(bytes / parts),
      checkpoint: writeMarks(part === parts - 1 ? after : before),
    }
  }
}

function marksAfter({ since, newest }: Marks, page: ApiPage): Marks {
  const later = laterOf(newest, page.newest)
  if (page.next !== undefined) return { next: page.next, since, newest: later }
  return { next: undefined, since: laterOf(since, later), newest: undefined }
}

function readMarks(checkpoint: Json): Marks {
  return {
    next: findText(checkpoint, 'next'),
    since: findText(checkpoint, 'since'),
    newest: findText(checkpoint, 'newest'),
  }
}

function writeMarks({ next, since, newest }: Marks): Json {
  return {
    ...(next !== undefined && { next }),
    ...(since !== undefined && { since }),
    ...(newest !== undefined && { newest }),
  }
}

function listUrl({ settings }: Source): URL {
  const url = URL.parse(settings.url ?? '')
  if (!url || !isSafeAddress(url)) {
    throw new SourceFault('needs_attention', 'The list needs an https address: a token goes there.')
  }
  return url
}

function pageUrl(source: Source, shape: ApiShape, { next, since }: Marks): URL {
  const list = listUrl(source)
  if (next !== undefined && /^(?:https?:\/\/|\/|\?)/i.test(next)) return linkedUrl(list, next)
  if (shape.since_parameter !== undefined && since !== undefined) {
    list.searchParams.set(shape.since_parameter, since)
  }
  if (next !== undefined) list.searchParams.set(shape.cursor_parameter, next)
  return list
}

function linkedUrl(list: URL, next: string): URL {
  const url = URL.parse(next, list.href)
  if (url?.origin === list.origin) return url
  // The token is for the one place that the owner has named.
  throw new SourceFault('bad_answer', 'The next page of the source lies elsewhere.')
}

/** Asks with the token of the connection. One that is no longer taken is renewed, once for every question. */
function openAsker(source: Source): (url: URL) => Promise<SourceAnswer> {
  let token: string | undefined
  const ask = (url: URL) =>
    source.fetch(url.href, {
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      max_bytes: MAX_PAGE_BYTES,
    })
  return async (url) => {
    token ??= await accessToken(source)
    let answer = await ask(url)
    if (answer.status === 401) {
      token = await renewAccessToken(source)
      answer = await ask(url)
    }
    checkAnswer(answer)
    return answer
  }
}
