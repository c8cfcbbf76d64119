import { queryOptions } from '@tanstack/react-query'
import { answerOf } from './client'
import type { Hub } from './hub'

const POLICY = /policy|provider|pin_|grant/

/** The reads of the policy, of providers and of what changed at them. */
export const policyQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['owner_policy_show', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/v1/owner/policy', { signal })),
    meta: { follows: POLICY },
  })

export const revisionsQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['owner_policy_history', vault],
    queryFn: ({ signal }) =>
      answerOf(client.GET('/v1/owner/policy/history', { params: { query: { limit: 20 } }, signal })),
    meta: { follows: POLICY },
  })

export const providersQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['owner_provider_list', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/v1/owner/providers', { signal })),
    meta: { follows: POLICY },
  })

/** What a server lists now, beside what was reviewed of it. It asks the server, so it is not read anew by itself. */
export const importQuery = ({ vault, client }: Hub, provider: string) =>
  queryOptions({
    queryKey: ['owner_provider_import', vault, provider],
    queryFn: ({ signal }) =>
      answerOf(
        client.GET('/v1/owner/providers/{provider}/tools', { params: { path: { provider } }, signal }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const pinReviewsQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['owner_pin_review_list', vault],
    queryFn: ({ signal }) =>
      answerOf(client.GET('/v1/owner/provider-reviews', { params: { query: { state: 'open' } }, signal })),
    meta: { follows: POLICY },
  })

export const pinReviewQuery = ({ vault, client }: Hub, review_id: string) =>
  queryOptions({
    queryKey: ['owner_pin_review_show', vault, review_id],
    queryFn: ({ signal }) =>
      answerOf(
        client.GET('/v1/owner/provider-reviews/{review_id}', { params: { path: { review_id } }, signal }),
      ),
    meta: { follows: POLICY },
  })
