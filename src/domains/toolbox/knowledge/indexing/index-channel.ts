import { type Channel, channel } from 'node:diagnostics_channel'

/** Where runs of the indexer tell that they begin, and how they end, for whoever counts them. */
export const indexChannel: Channel<unknown, { readonly event: 'begun' | 'finished' | 'failed' }> = channel(
  'knowtation.indexing',
) as never
