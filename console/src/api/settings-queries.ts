import { queryOptions } from '@tanstack/react-query'
import { answerOf } from './client'
import type { Hub } from './hub'

/** The reads of the owner's own account; the same whichever vault is shown. */
export const passkeysQuery = ({ client }: Hub) =>
  queryOptions({
    queryKey: ['owner_passkey_list'],
    queryFn: ({ signal }) => answerOf(client.GET('/v1/owner/passkeys', { signal })),
    meta: { follows: /passkey/ },
  })

export const sessionsQuery = ({ client }: Hub) =>
  queryOptions({
    queryKey: ['owner_session_list'],
    queryFn: ({ signal }) => answerOf(client.GET('/v1/owner/sessions', { signal })),
    meta: { follows: /owner_(sign|link|password|passkey|set_up)/ },
  })
