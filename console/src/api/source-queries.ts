import { queryOptions } from '@tanstack/react-query'
import { answerOf } from './client'
import type { Hub } from './hub'
import { RUNS, SOURCE } from './queries'

const INTENTS = /intent|authoriz|collector/
const SUBSCRIPTIONS = /subscription/
/** How far a run is, is no record of the log: it is looked at while there is one. */
const LOOK_MS = 2_000
const PAGE = 50

/** The reads of one source: how it comes to be, what it collects, when, and who is told. */
export const liveRunsQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['owner_run_live_list', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/_ref/runs', { signal })),
    meta: { follows: RUNS },
    refetchInterval: ({ state }) => ((state.data?.data.length ?? 0) > 0 ? LOOK_MS : false),
  })

export const connectionQuery = ({ vault, client }: Hub, connection_id: string) =>
  queryOptions({
    queryKey: ['owner_connection_show', vault, connection_id],
    queryFn: ({ signal }) =>
      answerOf(
        client.GET('/v1/owner/connections/{connection_id}', { params: { path: { connection_id } }, signal }),
      ),
    meta: { follows: SOURCE },
  })

export const connectorsQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['owner_connector_template_list', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/v1/owner/connector-templates', { signal })),
  })

export const intentsQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['owner_intent_list', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/v1/owner/connections/intents', { signal })),
    meta: { follows: INTENTS },
  })

export const intentQuery = ({ vault, client }: Hub, intent_id: string) =>
  queryOptions({
    queryKey: ['owner_intent_show', vault, intent_id],
    queryFn: ({ signal }) =>
      answerOf(
        client.GET('/v1/owner/connections/intents/{intent_id}', { params: { path: { intent_id } }, signal }),
      ),
    meta: { follows: INTENTS },
  })

export const devicesQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['owner_device_list', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/_ref/devices', { signal })),
    meta: { follows: /collector|connection/ },
  })

/** A page of records: from the oldest on, or only what changed after a place. */
export const recordPageQuery = (
  { vault, client }: Hub,
  wanted: { connection_id: string; stream: string; cursor?: string; changes_since?: string },
) =>
  queryOptions({
    queryKey: ['owner_record_list', vault, wanted],
    queryFn: ({ signal }) => {
      const { connection_id, stream, ...query } = wanted
      const params = { path: { connection_id, stream }, query: { ...query, limit: PAGE } }
      return answerOf(
        client.GET('/v1/owner/connections/{connection_id}/streams/{stream}/records', { params, signal }),
      )
    },
    meta: { follows: SOURCE },
  })

export const recordOfQuery = ({ vault, client }: Hub, connection_id: string, stream: string, key: string) =>
  queryOptions({
    queryKey: ['owner_record_get', vault, connection_id, stream, key],
    queryFn: ({ signal }) => {
      const params = { path: { connection_id, stream }, query: { key } }
      return answerOf(
        client.GET('/v1/owner/connections/{connection_id}/streams/{stream}/record', { params, signal }),
      )
    },
    meta: { follows: SOURCE },
  })

export const recordSearchQuery = ({ vault, client }: Hub, connection_id: string, query: string) =>
  queryOptions({
    queryKey: ['owner_record_search', vault, connection_id, query],
    queryFn: ({ signal }) => {
      const params = { path: { connection_id }, query: { query } }
      return answerOf(client.GET('/v1/owner/connections/{connection_id}/streams/search', { params, signal }))
    },
  })

export interface Timing {
  cron?: string
  interval_seconds?: number
  timezone: string
}
export const previewQuery = ({ vault, client }: Hub, timing: Timing) =>
  queryOptions({
    queryKey: ['owner_schedule_preview', vault, timing],
    queryFn: ({ signal }) =>
      answerOf(client.GET('/v1/owner/schedule-preview', { params: { query: timing }, signal })),
  })

export const subscriptionsQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['event_subscription_list', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/v1/event-subscriptions', { signal })),
    meta: { follows: SUBSCRIPTIONS },
    refetchInterval: ({ state }) =>
      state.data?.data.some(
        ({ status, delivery }) => status === 'pending_verification' || delivery.pending_count > 0,
      )
        ? LOOK_MS
        : false,
  })

export const subscriptionEventsQuery = ({ vault, client }: Hub, subscription_id: string, cursor?: string) =>
  queryOptions({
    queryKey: ['event_subscription_events', vault, subscription_id, cursor],
    queryFn: ({ signal }) => {
      const params = { path: { subscription_id }, query: { ...(cursor && { cursor }), limit: PAGE } }
      return answerOf(client.GET('/v1/event-subscriptions/{subscription_id}/events', { params, signal }))
    },
    // One that was deleted has no events to read.
    meta: { follows: /subscription_(?!delete)/ },
  })
