import { type CollectedRecord, type Page, SourceFault } from '../connectors/connector.ts'

/** What one page may hold. */
const PAGE_LIMITS = {
  records: 5_000,
  removals: 50_000,
  record_bytes: 1_048_576,
  page_bytes: 33_554_432,
  /** A source that does not tell what is gone is compared by the keys of all it had: up to 20,000 of them. */
  checkpoint_bytes: 8_388_608,
  key_chars: 512,
} as const

const CONTROL = /\p{Cc}/u

/** Throws a `SourceFault` where a page is not what a collector may hand over. Nothing of it is kept then. */
export function checkPage(page: Page, streams: readonly string[]): void {
  if (!streams.includes(page.stream)) throw bad('The connector told of a stream that it does not declare.')
  const { upserts, removals = [] } = page
  if (!Array.isArray(upserts) || upserts.length > PAGE_LIMITS.records)
    throw large('The connector handed over too many records at once.')
  if (!Array.isArray(removals) || removals.length > PAGE_LIMITS.removals)
    throw large('The connector removed too many records at once.')
  const checkpoint_bytes = Buffer.byteLength(JSON.stringify(page.checkpoint) ?? '')
  if (checkpoint_bytes === 0) throw bad('The connector did not say from where to go on.')
  if (checkpoint_bytes > PAGE_LIMITS.checkpoint_bytes)
    throw large('The mark from which to go on is too large.')
  if (!Number.isFinite(page.bytes) || page.bytes < 0) throw bad('The connector did not say how much it read.')
  for (const key of removals) checkKey(key)
  checkSizes(upserts)
}

function checkSizes(upserts: readonly CollectedRecord[]): void {
  let page_bytes = 0
  for (const { key, data } of upserts) {
    checkKey(key)
    if (typeof data !== 'object' || data === null || Array.isArray(data))
      throw bad('A record of the source is no JSON object.')
    const bytes = Buffer.byteLength(JSON.stringify(data))
    if (bytes > PAGE_LIMITS.record_bytes) throw large('A record of the source is larger than 1 MiB.')
    page_bytes += bytes
  }
  if (page_bytes > PAGE_LIMITS.page_bytes) throw large('The connector handed over too much at once.')
}

function checkKey(key: unknown): void {
  const isKey =
    typeof key === 'string' &&
    key !== '' &&
    key.length <= PAGE_LIMITS.key_chars &&
    key.isWellFormed() &&
    !CONTROL.test(key)
  if (!isKey) throw bad('A record of the source has no usable key.')
}

const bad = (message: string) => new SourceFault('bad_answer', message)
const large = (message: string) => new SourceFault('too_large', message)
