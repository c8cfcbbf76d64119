import { queryOptions } from '@tanstack/react-query'
import { answerOf } from './client'
import type { Hub } from './hub'

/** The owner's names for grants, tokens, seats, owner agents and consents. */
export const labelsQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['label_list', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/api/v1/labels', { params: { query: {} }, signal })),
    meta: { follows: /^label_|token_create|tool_session_create|consent/ },
  })

export interface WantedGrant {
  flow_id: string
  version?: string
  requested_tools: readonly string[]
  ttl_seconds?: number
}

export const grantPreviewQuery = ({ vault, client }: Hub, wanted: WantedGrant) =>
  queryOptions({
    queryKey: ['flow_external_grant_preview', vault, wanted],
    queryFn: ({ signal }) => {
      const { flow_id, requested_tools, ...more } = wanted
      const query = { ...more, requested_tools: JSON.stringify(requested_tools) as unknown as string[] }
      const params = { path: { id: flow_id }, query }
      return answerOf(client.GET('/api/v1/flows/{id}/grant-preview', { params, signal }))
    },
    meta: { follows: /policy|proposal_approve|provider|pin_/ },
  })

export interface WantedSeat {
  service: string
  project?: string
  role: 'dev' | 'sre' | 'release_manager' | 'product_owner'
  ttl_seconds: number
  agent_id?: string
}

export const seatPreviewQuery = ({ vault, client }: Hub, wanted: WantedSeat) =>
  queryOptions({
    queryKey: ['tool_session_preview', vault, wanted],
    queryFn: ({ signal }) =>
      answerOf(client.GET('/api/v1/tool-sessions/preview', { params: { query: wanted }, signal })),
    retry: false,
  })

export const grantToolsQuery = ({ vault, client }: Hub, grant_id: string) =>
  queryOptions({
    queryKey: ['flow_external_grant_tools', vault, grant_id],
    queryFn: ({ signal }) =>
      answerOf(
        client.GET('/api/v1/flows/external-grants/{grant_id}/tools', {
          params: { path: { grant_id } },
          signal,
        }),
      ),
    meta: { follows: /policy|grant|lock_|pin_/ },
  })

export const WAYS = ['sign_in', 'grant', 'token'] as const
export type Way = (typeof WAYS)[number]

export const clientSettingsQuery = ({ vault, client }: Hub, way: Way, name: string) =>
  queryOptions({
    queryKey: ['client_settings', vault, way, name],
    queryFn: ({ signal }) =>
      answerOf(client.GET('/api/v1/client-settings', { params: { query: { with: way, name } }, signal })),
    staleTime: Number.POSITIVE_INFINITY,
  })

/** Some programs begin without a record of the log, so this is also asked from time to time. */
const REQUESTS_EVERY_MS = 15_000
export const requestsQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['owner_request_list', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/v1/owner/requests', { signal })),
    refetchInterval: REQUESTS_EVERY_MS,
    meta: { follows: /device|consent|oauth|owner_agent/ },
  })

export const violationsQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['violation_list', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/api/v1/toolbox/violations', { signal })),
    meta: { follows: /./ },
  })
