import type { Collector } from '../connector.ts'
import { fetchChanged } from '../fetch-changed.ts'
import { changesIn, findMember, pageChanges, readIndex } from '../page-changes.ts'
import { parseApart } from '../parse-apart.ts'

const MAX_FEED_BYTES = 5 * 1024 * 1024

/**
 * Reads a feed when it has changed. Entries that have fallen out of a feed are kept: most feeds show only
 * their newest.
 */
export const feedCollector: Collector = {
  async probe(source) {
    const found = await fetchChanged({ ...source, checkpoint: null }, MAX_FEED_BYTES)
    const feed = await parseApart(
      { kind: 'feed', text: found?.text ?? '', url: found?.url ?? '' },
      source.signal,
    )
    return feed.title === undefined ? {} : { display_name: feed.title }
  },
  async *collect(source) {
    const found = await fetchChanged(source, MAX_FEED_BYTES)
    if (!found) return
    const { text, url, validators } = found
    const { records } = await parseApart({ kind: 'feed', text, url }, source.signal)
    const index = readIndex(findMember(source.checkpoint, 'index'))
    yield* pageChanges(changesIn(records, index, 'forgotten'), {
      stream: 'items',
      index,
      total: records.length,
      // Until all is in, the feed must be asked for as a whole again.
      checkpoint: (marks, is_done) => ({ ...(is_done && validators), index: marks }),
    })
  },
}
