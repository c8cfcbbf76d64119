import { queryOptions } from '@tanstack/react-query'
import { answerOf } from './client'
import type { Hub } from './hub'
import { SOURCE } from './queries'

/** As many entries as a lineage is drawn of. */
const LINEAGE_LIMIT = 5_000

/** The reads of engines, the ledger and one source; the others are in `queries.ts`. */
export const executionQuery = ({ vault, client }: Hub, run_id: string) =>
  queryOptions({
    queryKey: ['boundary_show', vault, run_id],
    queryFn: ({ signal }) =>
      answerOf(client.GET('/api/v1/boundary/executions/{run_id}', { params: { path: { run_id } }, signal })),
    meta: { follows: /^boundary_/ },
  })

export const entriesQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['ledger_list', vault],
    queryFn: ({ signal }) =>
      answerOf(client.GET('/api/v1/ledger/entries', { params: { query: { limit: 100 } }, signal })),
    meta: { follows: /^(boundary_|ledger_)/ },
  })

export const entryQuery = ({ vault, client }: Hub, ledger_id: string) =>
  queryOptions({
    queryKey: ['ledger_show', vault, ledger_id],
    queryFn: ({ signal }) =>
      answerOf(client.GET('/api/v1/ledger/entries/{ledger_id}', { params: { path: { ledger_id } }, signal })),
  })

export const lineageQuery = ({ vault, client }: Hub, ledger_id: string, direction: 'up' | 'down') =>
  queryOptions({
    queryKey: ['ledger_lineage', vault, ledger_id, direction],
    queryFn: ({ signal }) => {
      const params = { path: { ledger_id }, query: { direction, limit: LINEAGE_LIMIT } }
      return answerOf(client.GET('/api/v1/ledger/entries/{ledger_id}/lineage', { params, signal }))
    },
    meta: { follows: /^(boundary_|ledger_)/ },
  })

export const growthQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['ledger_growth', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/api/v1/ledger/growth', { signal })),
    meta: { follows: /^(boundary_|ledger_)/ },
  })

export const ledgerProofQuery = ({ vault, client }: Hub) =>
  queryOptions({
    queryKey: ['ledger_verify', vault],
    queryFn: ({ signal }) => answerOf(client.GET('/api/v1/ledger/verify', { signal })),
    staleTime: Number.POSITIVE_INFINITY,
  })

export const diagnosticsQuery = ({ vault, client }: Hub, connection_id: string) =>
  queryOptions({
    queryKey: ['owner_connection_diagnostics', vault, connection_id],
    queryFn: ({ signal }) =>
      answerOf(
        client.GET('/v1/owner/connections/{connection_id}/diagnostics', {
          params: { path: { connection_id } },
          signal,
        }),
      ),
    meta: { follows: SOURCE },
  })

export const historyQuery = ({ vault, client }: Hub, connection_id: string) =>
  queryOptions({
    queryKey: ['owner_run_list', vault, connection_id],
    queryFn: ({ signal }) =>
      answerOf(
        client.GET('/v1/owner/connections/{connection_id}/runs', {
          params: { path: { connection_id }, query: { limit: 20 } },
          signal,
        }),
      ),
    meta: { follows: SOURCE },
  })

export const streamsQuery = ({ vault, client }: Hub, connection_id: string) =>
  queryOptions({
    queryKey: ['owner_stream_list', vault, connection_id],
    queryFn: ({ signal }) =>
      answerOf(
        client.GET('/v1/owner/connections/{connection_id}/streams', {
          params: { path: { connection_id } },
          signal,
        }),
      ),
    meta: { follows: SOURCE },
  })
