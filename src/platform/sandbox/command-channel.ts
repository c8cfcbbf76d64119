import { type Channel, channel } from 'node:diagnostics_channel'

/** Where commands tell that they begin and end: the sandbox does not know who counts them. */
export const commandChannel: Channel<unknown, { readonly event: 'begun' | 'ended' }> = channel(
  'knowtation.commands',
) as never
